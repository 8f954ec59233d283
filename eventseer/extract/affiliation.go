package extract

import (
	"strings"
	"unicode"

	"github.com/biter777/countries"

	"github.com/eventseer/eventseer/internal/text"
)

// orgWords are words in names of institutions, orgPrefixes beginnings of such words, orgNames beginnings of
// whole names; all are folded. orgAcronyms are institutions in capitals.
var (
	orgWords    = wordSet("college school department dept center centre lab labs inc ltd llc gmbh ag corp corporation company co bank hospital clinic research technologies tech academy academia akademie academie ministry foundation museum library archive agency council society association group solutions systems software consulting ecole politecnico eth epfl telecom mines campus observatory observatoire hochschule stiftung universidad universita studio press institution sapienza sorbonne enterprises industries networks ventures partners microsoft google ibm intel facebook meta amazon apple nvidia adobe siemens philips nokia ericsson huawei tencent alibaba baidu bytedance samsung hitachi toshiba fujitsu sony bosch airbus boeing oracle cisco yahoo xerox motorola qualcomm salesforce spotify netflix linkedin twitter uber airbnb deepmind openai bloomberg verizon comcast orange accenture deloitte mitre rand simula sintef fraunhofer helmholtz leibniz planck independent freelance unaffiliated")
	orgPrefixes = []string{"univ", "institut", "instytut", "laborator", "polytech", "politec", "politech", "facult", "fakult", "departament", "hochschul", "hogeschool", "yliopisto", "egyetem", "sveuciliste", "akademi", "technolog", "techni", "tecnolog", "ciencia", "computaci", "ingenier", "investigaci"}
	orgNames    = []string{"simon fraser", "johns hopkins", "john hopkins", "carnegie mellon", "texas a", "blaise pascal", "pierre et marie", "marie curie", "paul sabatier", "claude bernard", "joseph fourier", "case western", "george mason", "george washington", "james cook", "charles sturt", "edith cowan", "heriot watt", "heriot-watt", "oxford brookes", "royal holloway", "king's", "kings ", "notre dame", "penn state", "ohio state", "sun yat-sen", "ben gurion", "ben-gurion", "bar ilan", "bar-ilan", "tel aviv", "hong kong", "new york", "san diego", "los angeles", "santa barbara", "santa cruz", "wilfrid laurier", "robert bosch", "hewlett", "red hat", "bell lab", "jet propulsion", "lawrence livermore", "lawrence berkeley", "los alamos", "oak ridge", "pacific northwest", "booz allen", "lockheed", "northrop", "general electric", "general motors", "morgan stanley", "goldman sachs", "standard chartered", "thomson reuters", "fondazione", "ludwig-maximilians", "ludwig maximilian", "hasso plattner", "johannes kepler", "rey juan carlos", "carlos iii", "pompeu fabra", "roma tre", "tor vergata", "king saud", "king abdulaziz", "king fahd", "sultan qaboos", "vrije", "abo akademi", "chalmers", "west virginia", "north carolina", "south florida", "rio de janeiro", "sao paulo", "buenos aires", "santa fe", "palo alto", "cap gemini", "brigham young", "stony brook", "virginia tech", "georgia tech", "louisiana tech", "delft", "bauhaus", "instituto", "consiglio", "centrum", "centro", "escola", "escuela", "scuola", "haute ecole", "grande ecole"}
	orgAcronyms = wordSet("MIT CMU KU TU UC UT UCL UCLA UCSD UCSB UCSC UCI UCD USC NYU ETH EPFL RWTH FU HU LMU TUM IIT IITB IISC IIIT NUS NTU NIT KAIST POSTECH SNU UNIST GIST INRIA CNRS CEA LORIA LIP6 LIRMM IRISA IRIT LIG LAAS CWI DFKI NICTA CSIRO CISPA KIT KTH IBM HP HPE SAP NEC NTT ARM AMD SRI NASA NIST NIH IMDEA FORTH CERTH NCSR TNO VTT SICS RISE FBK CNR ISI NII AIST RIKEN PARC GMU GMD BTU ITU UPC UPM UPV UPF UAM UAB UNAM USP UFRJ UFMG PUC UNSW ANU QUT RMIT HKUST CUHK HKU PKU THU USTC SJTU SUNY CUNY UMASS UIUC UNC UMBC UNL UNM UTS UBC SFU ENS ENSA ENSAE ENSTA INSA INPT IMT ESIEE SUPELEC LIP LIX LRI LIRIS VU UVA BITS DTU AAU NTNU SDU ITC IRST ATR KDDI ICSI JPL LLNL LANL ORNL PNNL ANL BBN ABB GE BT BBC CERN ESA DLR ONERA IAEA OECD WHO CSAIL")
	orgEnd      = compilePattern(`大[学學]|研究|学院|學院|대학|연구|公司`)
)

// isOrganization reports whether a phrase is the name of an institution. It contains a word of orgWords,
// begins or ends with an acronym such as "KU", or begins with a known name such as "Simon Fraser".
func isOrganization(s string) bool {
	words := strings.FieldsFunc(s, func(r rune) bool { return isNotLetter(r) && r != '&' })
	for i, w := range words {
		if orgAcronyms[w] && (i == 0 || i == len(words)-1) || isOrgWord(w) {
			return true
		}
	}
	if len(words) == 1 && len(s) >= 3 && strings.ToUpper(s) == s && strings.ToLower(s) != s {
		return true
	}
	return hasOrgName(s) || orgEnd.MatchString(s)
}

// hasOrgName reports whether s begins with the known name of an institution.
func hasOrgName(s string) bool {
	s = foldAccents(cutToBytes(s, maxName))
	for _, name := range orgNames {
		if strings.HasPrefix(s, name) {
			return true
		}
	}
	return false
}

func isOrgWord(w string) bool { return orgWords[foldAccents(w)] || isInstitutionKind(w) }

// isInstitutionKind reports whether a word is a kind of institution, such as "University". No person has
// such a name.
func isInstitutionKind(w string) bool {
	w = foldAccents(w)
	for _, prefix := range orgPrefixes {
		if strings.HasPrefix(w, prefix) {
			return true
		}
	}
	return false
}

// isAffiliation reports whether a block is short and names an institution or a country.
func isAffiliation(s string) bool {
	return s != "" && len(s) <= maxPlaceBlock && (isOrganization(s) || countryOf(s) != "")
}

// countryOf returns the name of the country at the end of an affiliation, or "". After an institution, a
// code such as CA or DE may be a state or a country; it is ignored.
func countryOf(affiliation string) string {
	parts := strings.FieldsFunc(affiliation, func(r rune) bool { return strings.ContainsRune(",;()[]，（）、·|/", r) })
	if len(parts) == 1 && isoCode.MatchString(strings.TrimSpace(parts[0])) {
		if code := text.CountryNamed(strings.TrimSpace(parts[0])); code != countries.Unknown {
			return countryName(code.Alpha2())
		}
	}
	for i := len(parts) - 1; i >= 0 && i >= len(parts)-2; i-- {
		if c := countryNamed(strings.Trim(parts[i], " .-–—")); c != "" {
			return c
		}
	}
	if len(parts) == 0 {
		return ""
	}
	words := strings.Fields(cutToBytes(parts[len(parts)-1], maxPlaceBlock))
	for n := min(maxRegionWords, len(words)); n > 0; n-- {
		name := strings.Join(words[len(words)-n:], " ")
		if len(name) > 2 || name == "UK" || name == "US" {
			if r, ok := countryIn(name); ok && r.state == "" && unicode.IsUpper([]rune(name)[0]) {
				return r.country
			}
		}
	}
	return ""
}

// isoCode matches a country code of two letters.
var isoCode = compilePattern(`^[A-Z]{2}$`)

// countryNamed returns the name of the country that s names or is the code of, or "".
func countryNamed(s string) string {
	if len(s) == 2 && strings.ToUpper(s) == s && s != "UK" && s != "US" {
		code := text.CountryNamed(s)
		state, isState := regions["="+s]
		switch {
		case code == countries.Unknown && isState:
			return state.country
		case code != countries.Unknown && !isState:
			return countryName(code.Alpha2())
		}
		return ""
	}
	r, _ := countryIn(s)
	return r.country
}
