package text

import (
	"testing"

	"github.com/biter777/countries"
)

func TestCountry(t *testing.T) {
	for name, want := range map[string]countries.CountryCode{
		"15th": countries.Unknown, "1st": countries.Unknown, "3 in": countries.Unknown, "": countries.Unknown, "Atlantis": countries.Unknown,
		"TH": countries.THA, "Thailand": countries.THA, "de": countries.DEU, "Viet Nam": countries.VNM,
	} {
		if got := CountryNamed(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
