package extract

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// realCities is a gazetteer of some cities and others of the same names: name, country, region, population
// in thousands.
var realCities = func() map[string][]City {
	m := map[string][]City{}
	for _, c := range []struct {
		name, country, region string
		thousands             int
	}{
		{"Vienna", "AT", "Vienna", 1691}, {"Wien", "AT", "Vienna", 1691}, {"Vienna", "US", "Virginia", 17},
		{"Cambridge", "GB", "England", 145}, {"Cambridge", "US", "Massachusetts", 110},
		{"Athens", "GR", "Attica", 664}, {"Athens", "US", "Georgia", 127}, {"Tbilisi", "GE", "Tbilisi", 1049},
		{"London", "GB", "England", 8961}, {"London", "CA", "Ontario", 346},
		{"San Jose", "US", "California", 1026}, {"San José", "CR", "San José", 335}, {"Victoria", "CA", "British Columbia", 289},
		{"Delft", "NL", "South Holland", 95}, {"Rochester", "US", "New York", 209}, {"New York", "US", "New York", 8804}, {"Troy", "US", "New York", 50},
		{"Morioka", "JP", "Iwate", 295}, {"天津", "CN", "Tianjin", 11090}, {"Orlando", "US", "Florida", 255}, {"Durham", "US", "North Carolina", 257},
		{"Windsor", "GB", "England", 32}, {"Newcastle", "AU", "New South Wales", 322}, {"Newcastle", "GB", "England", 192},
		{"Campinas", "BR", "São Paulo", 1031}, {"Recife", "BR", "Pernambuco", 1478}, {"Москва", "RU", "Moscow", 10381},
		{"Hong Kong", "HK", "", 7491}, {"Stanford", "US", "California", 13}, {"Graz", "AT", "Styria", 222}, {"Paris", "FR", "Île-de-France", 2138},
		{"Bolzano", "IT", "Trentino-Alto Adige", 94}, {"Bozen", "IT", "Trentino-Alto Adige", 94}, {"Jeju", "KR", "Jeju-do", 486}, {"Berlin", "DE", "Berlin", 3426},
		{"Sardinia", "IT", "Sardinia", 0}, {"Geneva", "CH", "Geneva", 203}, {"Surrey", "CA", "British Columbia", 568}, {"Egham", "GB", "England", 27},
		{"Kuching", "MY", "Sarawak", 570}, {"Sarawak", "MY", "Sarawak", 0}, {"Oulu", "FI", "North Ostrobothnia", 209}, {"Macao", "MO", "", 649}, {"新竹", "TW", "", 404},
		{"Cebu", "PH", "Central Visayas", 922}, {"Lipa", "PH", "Calabarzon", 200}, {"Lipa City", "PH", "Calabarzon", 200}, {"Batangas", "PH", "Calabarzon", 237}, {"New Brunswick", "US", "New Jersey", 57},
	} {
		m[c.name] = append(m[c.name], City{Country: c.country, Region: c.region, Population: 1000 * c.thousands})
	}
	return m
}()

func TestSpots(t *testing.T) {
	p := &placeReader{page: &page{}, cities: func(name string) []City { return realCities[name] }}
	for text, want := range map[string]string{
		"Vienna, Austria":                   "Vienna/Vienna/AT",
		"Vienna, VA":                        "Vienna/Virginia/US",
		"Cambridge, UK":                     "Cambridge/England/GB",
		"Cambridge, MA":                     "Cambridge/Massachusetts/US",
		"Cambridge":                         "Cambridge//",
		"Athens, Georgia":                   "Athens/Georgia/US",
		"Tbilisi, Georgia":                  "Tbilisi/Tbilisi/GE",
		"London, Ontario":                   "London/Ontario/CA",
		"London, Ontario, Canada":           "London/Ontario/CA",
		"San Jose, CA":                      "San Jose/California/US",
		"San José, Costa Rica":              "San José/San José/CR",
		"Victoria, BC, Canada":              "Victoria/British Columbia/CA",
		"Washington, DC":                    "Washington, DC/District of Columbia/US",
		"Washington, D.C., USA":             "Washington, D.C./District of Columbia/US",
		"Delft, NL":                         "Delft/South Holland/NL",
		"Rochester, New York, USA":          "Rochester/New York/US",
		"New York, NY, USA":                 "New York/New York/US",
		"Troy NY, USA":                      "Troy/New York/US",
		"Durham North Carolina USA":         "Durham/North Carolina/US",
		"Morioka, Iwate, Japan":             "Morioka/Iwate/JP",
		"Recife, PE, Brazil":                "Recife/PE/BR",
		"Campinas, SP":                      "Campinas/São Paulo/BR",
		"Newcastle, NSW":                    "Newcastle/New South Wales/AU",
		"Chia Laguna, Sardinia, Italy":      "Chia Laguna/Sardinia/IT",
		"Schloss Grünau, Dorfheim, Germany": "Dorfheim//DE",
		"Seaside Resort, Orlando (Lake View), FL, USA":  "Orlando/Florida/US",
		"Forest Lodge, Windsor Great Park, UK":          "Windsor//GB",
		"Sunny University, Sha Tin, Hong Kong, China":   "Hong Kong//CN",
		"Bolzano-Bozen, Italy":                          "Bolzano-Bozen/Trentino-Alto Adige/IT",
		"中国天津":                                          "天津//CN",
		"Москва, Россия":                                "Москва/Moscow/RU",
		"held at TU Wien, 3-5 May 2027":                 "Wien/Vienna/AT",
		"at Stanford University, California, USA":       "Stanford/California/US",
		"in the beautiful city of Graz":                 "Graz/Styria/AT",
		"PARIS, FRANCE":                                 "Paris/Île-de-France/FR",
		"10 June 2027, Paris":                           "Paris/Île-de-France/FR",
		"Concert Hall Jeju, Korea":                      "Jeju//KR",
		"to be held in Chile":                           "//CL",
		"Recife-PE":                                     "Recife/Pernambuco/BR",
		"Graz in Austria":                               "Graz/Styria/AT",
		"A-1010 Vienna, Austria":                        "Vienna/Vienna/AT",
		"Delft - 62, South Holland, Netherlands":        "Delft/South Holland/NL",
		"about Chile and its hills":                     "//CL",
		"Egham, Surrey, UK":                             "Egham//GB",
		"Sunrise Hotel Kuching, Sarawak, Malaysia":      "Kuching/Sarawak/MY",
		"Grand Resort Orlando, Florida, USA":            "Orlando/Florida/US",
		"School of Examples Nowhere, Florida, USA":      "/Florida/US",
		"Cambridge / Rochester, USA":                    "Cambridge/Massachusetts/US",
		"Lipa City, Batangas, Philippines":              "Lipa City/Calabarzon/PH",
		"Kuching-93050, Malaysia":                       "Kuching/Sarawak/MY",
		"Graz-42, Austria":                              "Graz/Styria/AT",
		"Sarawak, Malaysia":                             "/Sarawak/MY",
		"Berlin, Germany":                               "Berlin/Berlin/DE",
		"Morioka City, Japan":                           "Morioka/Iwate/JP",
		"in New York City":                              "New York City/New York/US",
		"ABCDE, Austria":                                "//AT",
		"ABCDE, AUSTRIA":                                "Abcde//AT",
		"New Brunswick, USA":                            "New Brunswick/New Jersey/US",
		"Macao SAR, China":                              "Macao//CN",
		"Washington D.C., USA":                          "Washington D.C./District of Columbia/US",
		"Surprise us!":                                  "",
		"the Geneva Convention":                         "",
		"Submit a paper of ten pages in English":        "",
		"papers are reviewed by three members, in OR":   "",
		"Springer Lecture Notes on the Theory of Knots": "",
	} {
		var got string
		if ss := p.placesNamedIn(text); len(ss) > 0 {
			best := ss[0]
			for _, s := range ss {
				if s.form > best.form {
					best = s
				}
			}
			got = best.venue.City + "/" + best.venue.Region + "/" + best.venue.CountryCode
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// TestSpotsBesideInstitution finds a city beside an institution that is named after another one. It finds
// none across the words of a language with spaces.
func TestSpotsBesideInstitution(t *testing.T) {
	p := &placeReader{page: &page{}, cities: func(name string) []City { return realCities[strings.ReplaceAll(name, " ", "")] }}
	for text, want := range map[string]string{
		"RDX will be held in Berlin at the TU Graz":  "Graz Berlin",
		"RDX will be held at the University of Oulu": "Oulu",
		"새天津 소식":                                     "天津",
		"새天 津 소식":                                    "",
	} {
		var got []string
		for _, s := range p.placesNamedIn(text) {
			got = append(got, s.venue.City)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestSpotForms distinguishes a city from one in the name of an institution.
func TestSpotForms(t *testing.T) {
	p := &placeReader{page: &page{}, cities: func(name string) []City { return realCities[name] }}
	for text, want := range map[string]placeWording{
		"Oulu, Finland":               cityConfirmed,
		"University of Oulu, Finland": cityInNameWithCountry,
		"國立新竹教育大學":                    cityInName,
		"新竹":                          citySeparate,
	} {
		if ss := p.placesNamedIn(text); len(ss) == 0 || ss[0].form != want {
			t.Errorf("%s: %+v, want form %d", text, ss, want)
		}
	}
}

// TestUnshown reads the alternative texts of pictures, but not metadata for programs.
func TestUnshown(t *testing.T) {
	p := &placeReader{page: preparePage(parse(t, "p.html", `<title>RDX 2027</title><meta name=description content="Graz, 2026"><img alt=logo><img alt="RDX in Graz, Austria">`+strings.Repeat("<img alt='banner of RDX'>", 100)), 2040)}
	us := p.invisibleTexts()
	if len(us) != 1+maxPictures || us[0].kind != invisibleTitle || us[1].text != "RDX in Graz, Austria" || us[1].path != "html/body/img[2]" {
		t.Errorf("%d texts: %+v", len(us), us[:2])
	}
}

func FuzzPlace(f *testing.F) {
	for _, s := range []string{"Vienna, VA, USA on 3 May 2027", "中国天津", "Washington, D.C.", "a (b), [c] – d / e", "Bolzano-Bozen", "\xff, USA", "İstanbul, TÜRKİYE", strings.Repeat("Paris, ", 40)} {
		f.Add(s)
	}
	p := &placeReader{page: &page{}, cities: func(name string) []City { return realCities[name] }}
	f.Fuzz(func(t *testing.T, s string) {
		ss := p.placesNamedIn(s)
		if len(ss) > maxSpots+maxSpots {
			t.Errorf("%d places", len(ss))
		}
		valid := strings.ToValidUTF8(cutToBytes(s, maxBlockBytes), " ")
		for _, sp := range ss {
			if sp.from < 0 || sp.from >= sp.to || sp.to > len(valid) || !utf8.ValidString(valid[sp.from:sp.to]) {
				t.Fatalf("place %+v of %d bytes", sp, len(valid))
			}
			if sp.form > countryOnly && sp.venue.City == "" || len(sp.venue.City) > maxPlaceBlock {
				t.Errorf("city %q", sp.venue.City)
			}
		}
		placeIn(s)
	})
}
