package text

import (
	"strings"
	"unicode"

	"github.com/biter777/countries"
)

// CountryNamed returns the country with a name or an ISO 3166-1 code, countries.Unknown if there is none. A
// name with a digit is never a country: countries.ByName ignores digits and would return Thailand for
// "15th".
func CountryNamed(name string) countries.CountryCode {
	if strings.ContainsFunc(name, unicode.IsDigit) {
		return countries.Unknown
	}
	return countries.ByName(name)
}
