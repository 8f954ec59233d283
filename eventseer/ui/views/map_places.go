package views

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A countryPlace is about the middle of a country or territory, in degrees.
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

// parsePlaces panics on a table that cannot be read: it is part of the program.
func parsePlaces(table string) []countryPlace {
	var places []countryPlace
	for row := range strings.SplitSeq(table, ",") {
		f := strings.Fields(row)
		if len(f) != 3 || len(f[0]) != 2 {
			panic(fmt.Sprintf("table of places: %q", row))
		}
		places = append(places, countryPlace{f[0], degree(f[1]), degree(f[2])})
	}
	slices.SortFunc(places, func(a, b countryPlace) int { return strings.Compare(a.Code, b.Code) })
	return places
}

func degree(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return n
}
