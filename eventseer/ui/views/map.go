package views

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
)

const MapRounds = 3

const MapScale = 2.0 // units a degree

const MapNorth = 84.0

const MapSouth = -57.0

const MapMargin = 10.0

const mapMaxRadius = 14.0

const mapMinRadius = 1.0

const mapOneRadius = 3.0 // of one call, if there are few

// A MapPage shows the number of calls in each country.
type MapPage struct {
	Frame
	ViewForm
	Total     int
	Located   int // calls in the countries listed
	Other     int // in countries that are not listed
	Online    *countryRow
	Countries []countryRow
	Circles   []mapCircle // largest first, so that small circles are drawn above large ones
	Unplaced  int         // countries that are listed but not drawn
	Box       string      // viewBox of the drawing
	Land      string
	Graticule string
	Wider     string
}

// A countryRow is a country with the number of calls there.
type countryRow struct {
	Name, Href string
	Count      int
}

type mapCircle struct{ X, Y, Radius, Says string }

// facetNamed returns the facet with a name, or an empty one.
func facetNamed(facets []eventseer.Facet, name string) (facet eventseer.Facet) {
	if i := slices.IndexFunc(facets, func(f eventseer.Facet) bool { return f.Name == name }); i >= 0 {
		facet = facets[i]
	}
	return facet
}

// OnlineRow returns how many calls one can take part in from afar.
func OnlineRow(facets []eventseer.Facet, query string, all bool) *countryRow {
	for _, v := range facetNamed(facets, "mode").Values {
		if v.Term == "mode:online" {
			return &countryRow{Name: "Online", Href: searchFor(query, v.Term, all), Count: v.Count}
		}
	}
	return nil
}

func searchFor(query, term string, all bool) string {
	return SearchHref(strings.TrimSpace(query+" "+term), all)
}

// AddCountries adds the countries of a facet. It returns the query terms that exclude them, or "" if there
// are no other countries.
func (p *MapPage) AddCountries(facets []eventseer.Facet, codes map[string]int, query string) string {
	f := facetNamed(facets, "country")
	var out strings.Builder
	added := 0
	for _, v := range f.Values {
		name := Clip(v.Value, 60)
		if slices.ContainsFunc(p.Countries, func(c countryRow) bool { return c.Name == name }) {
			continue
		}
		added++
		p.Countries = append(p.Countries, countryRow{Name: name, Href: searchFor(query, v.Term, p.All), Count: v.Count})
		p.Located += v.Count
		codes[name] = PlaceOf(v)
		out.WriteString(" -" + v.Term)
	}
	p.Other = f.Other
	if f.Other == 0 || added == 0 {
		return ""
	}
	return out.String()
}

// PlaceOf returns the number of a facet's country in the table of places, or -1.
func PlaceOf(v eventseer.FacetValue) int {
	_, text, _ := strings.Cut(v.Term, ":")
	code := strings.ToUpper(strings.Trim(text, `"`))
	i, found := slices.BinarySearchFunc(CountryPlaces, code, func(c countryPlace, code string) int { return strings.Compare(c.Code, code) })
	if !found {
		return -1
	}
	return i
}

// DrawCircles draws a circle for each country whose place is known; its area is the number of
// calls.
func (p *MapPage) DrawCircles(codes map[string]int) {
	most := 1
	for _, c := range p.Countries {
		most = max(most, c.Count)
	}
	scale := min(mapOneRadius, mapMaxRadius/math.Sqrt(float64(most)))
	slices.SortStableFunc(p.Countries, func(a, b countryRow) int { return b.Count - a.Count })
	for _, c := range p.Countries {
		i := codes[c.Name]
		if i < 0 {
			p.Unplaced++
			continue
		}
		x, y := projectToMap(CountryPlaces[i].Lon, CountryPlaces[i].Lat)
		radius := max(mapMinRadius, scale*math.Sqrt(float64(c.Count)))
		says := c.Name + ": " + strconv.Itoa(c.Count)
		p.Circles = append(p.Circles, mapCircle{X: unitsText(x), Y: unitsText(y), Radius: unitsText(radius), Says: says})
	}
}

// projectToMap returns the position of a point of the world on the map. Equal differences in degrees are
// equal lengths.
func projectToMap(lon, lat float64) (x, y float64) {
	return (lon + 180) * MapScale, (MapNorth - min(max(lat, MapSouth), MapNorth)) * MapScale
}

// land are the continents and larger islands, drawn by hand, coarse enough for a page. Each is a
// list of longitude and latitude in whole degrees or halves.
var land = []string{
	// North and Central America
	`-168 66 -156 71 -141 70 -128 70 -115 68 -95 69 -94 72 -85 69 -82 67 -87 64 -94 61 -94 58 -88 57 -82 55 -80 51 -79 54 -77 57 -78 62 -72 62 -68 58
	 -64 60 -60 55 -56 52 -66 50 -64 47 -61 46 -66 44 -70 43 -70 41 -74 40 -76 35 -81 31 -80 26 -82 28 -84 30 -90 29 -94 29 -97 26 -97 22 -95 18 -91 18
	 -90 21 -87 21 -88 16 -83 15 -83 10 -79 9 -77 8 -80 7 -85 10 -87 13 -94 16 -100 17 -105 20 -106 23 -109 26 -113 31 -112 28 -110 23 -115 30 -117 33
	 -121 35 -124 40 -124 47 -128 51 -134 58 -145 60 -152 59 -158 56 -164 55 -158 59 -165 62 -161 64`,
	// South America
	`-77 8 -72 12 -62 11 -52 5 -50 0 -44 -3 -35 -6 -35 -9 -39 -14 -39 -20 -42 -23 -48 -26 -53 -33 -58 -35 -57 -38 -62 -39 -65 -43 -66 -47 -69 -51 -68 -55
	 -73 -52 -75 -46 -73 -38 -71 -30 -70 -20 -76 -14 -81 -6 -80 -2 -78 2`,
	// Europe and Asia
	`-9 37 -9 43 -2 43 -1 46 -5 48 2 51 5 53 8 54 8 57 10 57.5 10 54.5 14 54 19 54.5 21 57 24 57.5 24 59 30 60 22 60.5 21 63 25 65.5 22 66 17 61 18 59
	 16 56 12.5 55.5 11 59 7 58 5 61 12 66 19 70 28 71 41 67 34 66 38 64 44 66 44 68 54 69 68 69 73 72 80 73 104 77.5 114 74 130 71 140 73 160 70 180 69
	 178 65 171 60 163 60 163 58 162 55 157 51 156 57 160 61 155 59 143 59 136 54 141 52 140 47 135 43 130 42 127 39 129 36 126 34 126 38 121 40 118 39
	 122 37 119 35 122 31 121 28 118 24 110 21 106 20 109 14 105 9 101 13 99 10 103 4 103 1 100 5 98 9 98 15 94 17 91 22 87 21 80 15 80 11 77 8 73 17
	 72 21 67 24 58 25 57 27 51 28 48 30 50 26 54 24 56 26 60 22 55 17 45 13 43 13 39 21 35 28 34 31 36 36 31 36 27 37 26 40 29 41 36 42 41 41.5 37 45
	 33 45 31 46.5 28 44 28 41.5 26 40.8 23 40 24 38 22 36.5 20 40 19 42 14 45 12 45 14 42 18 40 16 38 15 40 11 42.5 9 44 3 43 0 40 -1 37.5 -5 36`,
	// Africa
	`-6 36 10 37 11 34 20 31 25 32 32 31 33 28 37 21 39 15 43 12 51 12 48 4 41 -2 39 -7 41 -15 35 -20 35 -24 32 -29 26 -34 18 -34 15 -27 12 -17 13 -10 9 -1
	 9 4 4 6 -4 5 -8 4 -13 9 -17 14 -16 20 -13 27 -10 30`,
	// Australia
	`114 -22 114 -34 118 -35 124 -33 131 -31.5 135 -35 138 -33 140 -38 146 -39 150 -37 153 -31 153 -25 146 -19 145 -15 142.5 -11 141 -17 136 -15 136 -12
	 131 -12 126 -14 122 -18`,
	// Greenland and the north of Canada
	`-73 78 -60 82 -32 83.5 -20 80 -20 74 -25 70 -40 65 -44 60 -50 62 -54 69 -58 75`, `-80 73 -62 66 -65 63 -72 64 -77 68 -88 72`,
	`-90 77 -80 76 -65 82 -85 82`, `-117 73 -103 72 -103 69 -115 69`,
	// islands
	`-5 50 1 51 0 53 -2 56 -3 58.5 -6 57 -3 54 -5 52`, `-10 52 -6 52 -6 55 -9 54.5`, `-24 65.5 -22 64 -15 64.5 -15 66`,
	`130 31 132 34 137 34.5 140 35.5 142 39 145 43.5 142 45 140 42 139 38 136 36 131 34.5 130 33`, `120 23 121 22 122 25 121 25`,
	`44 -17 49 -12 50 -15 47 -25 44 -24`, `80 9.5 82 7 80 6`, `95 5 106 -3 105 -6 100 -1`, `105 -7 114 -8.5 114 -7.5 106 -6`,
	`109 1 115 5 119 5 117 0 114 -4 110 -3`, `120 0 121 -5 123 -3 122 1`, `131 -1 141 -3 148 -6 150 -10 143 -9 138 -8 133 -4`,
	`120 18 122 18 124 13 126 8 122 7 121 13`, `167 -46 171 -45.5 174 -42 172 -41`, `173 -35 178 -38 175 -41 174 -39`, `145 -41 148 -41 147 -43.5`,
	`-84 22 -75 20 -78 22`, `-74 19 -68 18.5 -70 20`, `8 39 9.5 39 9 43`, `12.5 38 15.5 37 15 38`, `54 70 60 70 68 76 60 76`, `12 80 20 77 26 80`,
}

// LandPath and GraticulePath are the attribute d of the map's paths.
var LandPath, GraticulePath = drawLand(), drawGraticule()

func drawLand() string {
	var b strings.Builder
	for _, outline := range land {
		points := strings.Fields(outline)
		for i := 0; i+1 < len(points); i += 2 {
			x, y := projectToMap(parseDegree(points[i]), parseDegree(points[i+1]))
			b.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + coordinateText(x) + " " + coordinateText(y))
		}
		b.WriteString("Z")
	}
	return b.String()
}

// drawGraticule draws meridians and parallels every 30 degrees.
func drawGraticule() string {
	var b strings.Builder
	_, bottom := projectToMap(0, MapSouth)
	for lon := -150.0; lon < 180; lon += 30 {
		x, _ := projectToMap(lon, 0)
		b.WriteString("M" + coordinateText(x) + " 0V" + coordinateText(bottom))
	}
	for lat := -30.0; lat <= 60; lat += 30 {
		_, y := projectToMap(0, lat)
		b.WriteString("M0 " + coordinateText(y) + "H" + coordinateText(360*MapScale))
	}
	return b.String()
}

func coordinateText(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// A countryPlace is the approximate middle of a country or territory, in degrees.
type countryPlace struct {
	Code     string // ISO 3166-1 alpha-2
	Lat, Lon float64
}

// CountryPlaces are sorted by code.
var CountryPlaces = parsePlaces(`
AD 42.5 1.5, AE 24 54, AF 34 66, AG 17 -62, AL 41 20, AM 40 45, AO -12 18, AR -35 -65, AT 47.5 14, AU -25 134, AW 12.5 -70, AZ 40.5 47.5,
BA 44 18, BB 13 -59.5, BD 24 90, BE 50.8 4.5, BF 12.5 -1.5, BG 42.8 25.3, BH 26 50.5, BI -3.4 30, BJ 9.5 2.3, BM 32.3 -64.8, BN 4.5 114.7, BO -17 -65,
BR -10 -52, BS 24 -77, BT 27.5 90.5, BW -22 24, BY 53.5 28, BZ 17 -88.7, CA 58 -105, CD -3 23.5, CF 6.5 20.5, CG -1 15.5, CH 46.8 8.2, CI 7.5 -5.5,
CL -33 -71, CM 5.5 12.5, CN 35 104, CO 4 -73, CR 10 -84, CU 21.8 -79, CV 15.1 -23.6, CW 12.2 -69, CY 35 33, CZ 49.8 15.5, DE 51 10, DJ 11.7 42.6,
DK 56 10, DM 15.4 -61.4, DO 19 -70.5, DZ 28 3, EC -1.5 -78.5, EE 58.7 25.5, EG 26.5 30, ER 15.5 39, ES 40 -4, ET 9 39.5, FI 63 26, FJ -17.8 178,
FO 62 -7, FR 46.5 2.5, GA -0.7 11.7, GB 53.5 -1.8, GD 12.1 -61.7, GE 42 43.5, GF 4 -53, GH 7.8 -1.1, GI 36.1 -5.3, GL 72 -41, GM 13.4 -15.4, GN 10.5 -10.8,
GP 16.2 -61.6, GQ 1.6 10.4, GR 39 22, GT 15.5 -90.3, GU 13.4 144.8, GW 12 -15, GY 5 -59, HK 22.3 114.2, HN 14.8 -86.6, HR 45.2 15.5, HT 19 -72.5, HU 47.2 19.4,
ID -3 115, IE 53.2 -8, IL 31.4 35, IN 22 79, IQ 33 44, IR 32.5 54, IS 65 -18.5, IT 42.8 12.7, JM 18.1 -77.3, JO 31.2 36.5, JP 36.5 138.5, KE 0.5 38,
KG 41.5 74.7, KH 12.6 105, KM -11.8 43.5, KN 17.3 -62.7, KP 40 127, KR 36.3 127.9, KW 29.3 47.6, KY 19.3 -81.2, KZ 48 67, LA 18.5 103.5, LB 33.9 35.9, LC 13.9 -61,
LI 47.15 9.5, LK 7.6 80.7, LR 6.5 -9.3, LS -29.5 28.2, LT 55.2 23.9, LU 49.7 6.1, LV 56.9 24.9, LY 27 17.5, MA 32 -6, MC 43.7 7.4, MD 47.2 28.5, ME 42.7 19.3,
MG -19 46.7, MK 41.6 21.7, ML 17 -3.5, MM 21 96, MN 46.8 103, MO 22.2 113.5, MQ 14.6 -61, MR 20 -10.5, MT 35.9 14.4, MU -20.3 57.6, MV 3.5 73.2, MW -13.2 34.2,
MX 23.5 -102.5, MY 3.8 102, MZ -17.5 35.5, NA -22 17, NC -21.3 165.5, NE 17.5 9, NG 9.5 8, NI 12.9 -85, NL 52.2 5.4, NO 61.5 9, NP 28.2 84, NZ -42 173,
OM 21 56, PA 8.5 -80, PE -9.5 -75.5, PF -17.6 -149.4, PG -6.5 145, PH 13 122, PK 30 69.5, PL 52 19.3, PR 18.2 -66.4, PS 31.9 35.2, PT 39.6 -8, PY -23.3 -58.4,
QA 25.3 51.2, RE -21.1 55.5, RO 45.9 25, RS 44.2 20.8, RU 58 60, RW -2 29.9, SA 24 45, SB -9 160, SC -4.6 55.5, SD 16 30, SE 61 15.5, SG 1.35 103.8,
SI 46.1 14.8, SK 48.7 19.5, SL 8.5 -11.8, SM 43.9 12.5, SN 14.5 -14.5, SO 5 46, SR 4 -56, SS 7.5 30, ST 0.3 6.7, SV 13.7 -88.9, SY 35 38.5, SZ -26.5 31.5,
TD 15.5 18.7, TG 8.6 1, TH 15 101, TJ 38.8 71, TL -8.8 125.8, TM 39 59.5, TN 34 9.5, TO -21.2 -175.2, TR 39 35, TT 10.5 -61.3, TW 23.7 121, TZ -6.3 35,
UA 49 31.5, UG 1.3 32.4, US 39.5 -98.5, UY -33 -56, UZ 41.5 64, VA 41.9 12.45, VC 13.2 -61.2, VE 7 -66, VN 16 107.5, VU -16 167, WS -13.7 -172.1, XK 42.6 20.9,
YE 15.5 47.5, ZA -29 25, ZM -14 28, ZW -19 29.8`)

// parsePlaces panics if the table is invalid, because the table is part of the program.
func parsePlaces(table string) []countryPlace {
	var places []countryPlace
	for row := range strings.SplitSeq(table, ",") {
		f := strings.Fields(row)
		if len(f) != 3 || len(f[0]) != 2 {
			panic(fmt.Sprintf("table of places: %q", row))
		}
		places = append(places, countryPlace{f[0], parseDegree(f[1]), parseDegree(f[2])})
	}
	slices.SortFunc(places, func(a, b countryPlace) int { return strings.Compare(a.Code, b.Code) })
	return places
}

func parseDegree(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return n
}
