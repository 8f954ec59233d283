package text

import (
	"strings"
	"unicode"

	"github.com/biter777/countries"
)

// Country returns the country of a name or an ISO 3166-1 code, countries.Unknown if it is none.
// countries.ByName looks at letters alone and takes "15th" for Thailand: a name with a digit is none.
func Country(name string) countries.CountryCode {
	if strings.ContainsFunc(name, unicode.IsDigit) {
		return countries.Unknown
	}
	return countries.ByName(name)
}
