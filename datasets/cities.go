package datasets

import (
	"bufio"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The table is made by cities_gen.go from GeoNames (https://www.geonames.org), licensed under CC BY
// 4.0. Changed: cities of 5,000 inhabitants or more and seats of regions, with names in the
// languages of calls. A line "@AT\tVienna" begins a country's region; a line under it is a city:
// thousands of inhabitants and its names, "~" before those that are also words.
//
//go:embed cities.txt.gz
var citiesTable []byte

// maxCities is the largest size of the decompressed table, in bytes.
const maxCities = 8 << 20

// A City is a city, or a first-level division, which has Population 0.
type City struct {
	Country    string // ISO 3166-1 alpha-2
	Region     string // first-level division, such as "Virginia"; "" if the country has none
	Population int    // to the nearest thousand, at least 1000; 0 for a division
	Word       bool   // the name is also a common word or a person's name
}

// A Gazetteer finds cities by name. It is read-only and safe for concurrent use.
type Gazetteer struct {
	names   []cityName // sorted by hash, then by population in descending order
	starts  []uint32   // names[starts[k]:starts[k+1]] have hashes whose first startBits bits are k
	regions []City     // country and region only
	filter  []uint64   // bit set of the first filterBits bits of all hashes; most texts looked up are no names
}

const startBits = 16

// filterBits is the number of bits of a hash in Gazetteer.filter, of which one bit in ten is set.
const filterBits = 20

// roughNames is the approximate number of names in the table.
const roughNames = 150_000

// A cityName takes 16 bytes for each of about 120,000 names; it has the hash of the folded name, not the
// name.
type cityName struct {
	hash      uint64
	thousands uint32
	region    uint16 // in Gazetteer.regions
	word      bool
}

// Cities returns the gazetteer. It is decoded at the first call and shared by all callers.
func Cities() (*Gazetteer, error) { return gazetteer() }

var gazetteer = sync.OnceValues(decodeCities)

func decodeCities() (*Gazetteer, error) {
	return unpackTable("cities", citiesTable, maxCities, readGazetteer)
}

func readGazetteer(r io.Reader) (*Gazetteer, error) {
	g := &Gazetteer{names: make([]cityName, 0, roughNames)}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if country, region, ok := strings.Cut(line, "\t"); ok && strings.HasPrefix(country, "@") {
			g.regions = append(g.regions, City{Country: country[1:], Region: region})
			if region != "" {
				g.names = append(g.names, cityName{hash: hashPlace(region), region: uint16(len(g.regions) - 1)})
			}
			continue
		}
		number, rest, ok := strings.Cut(line, "\t")
		thousands, err := strconv.ParseUint(number, 10, 32)
		if !ok || err != nil || len(g.regions) == 0 || len(g.regions) > 1<<16 {
			return nil, fmt.Errorf("line %d does not describe a city", n)
		}
		for name := range strings.SplitSeq(rest, "\t") {
			plain, word := strings.CutPrefix(name, "~")
			g.names = append(g.names, cityName{hashPlace(plain), uint32(thousands), uint16(len(g.regions) - 1), word})
		}
	}
	g.sortNames()
	return g, lines.Err()
}

// sortNames sorts the names. It first distributes them by the first bits of their hashes, so that only
// two or three names at a time have to be sorted.
func (g *Gazetteer) sortNames() {
	g.starts = make([]uint32, 1<<startBits+1)
	for _, n := range g.names {
		g.starts[n.hash>>(64-startBits)+1]++
	}
	for k := range 1 << startBits {
		g.starts[k+1] += g.starts[k]
	}
	g.filter = make([]uint64, 1<<filterBits/64)
	sorted, next := make([]cityName, len(g.names)), slices.Clone(g.starts)
	for _, n := range g.names {
		k := n.hash >> (64 - startBits)
		sorted[next[k]] = n
		next[k]++
		g.filter[n.hash>>(64-filterBits)/64] |= 1 << (n.hash >> (64 - filterBits) % 64)
	}
	for k := range 1 << startBits {
		slices.SortFunc(sorted[g.starts[k]:g.starts[k+1]], func(a, b cityName) int {
			return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(b.thousands, a.thousands), cmp.Compare(a.region, b.region))
		})
	}
	g.names = sorted
}

// Lookup returns the cities that have the name in some language, the largest first, then the divisions
// with that name. It ignores case, accents, hyphens and periods.
func (g *Gazetteer) Lookup(name string) []City {
	if len(name) > maxPlaceName {
		return nil
	}
	hash := hashPlace(name)
	if g.filter[hash>>(64-filterBits)/64]>>(hash>>(64-filterBits)%64)&1 == 0 {
		return nil
	}
	k := hash >> (64 - startBits)
	var out []City
	for _, n := range g.names[g.starts[k]:g.starts[k+1]] {
		if n.hash != hash {
			continue
		}
		c := g.regions[n.region]
		c.Population, c.Word = 1000*int(n.thousands), n.word
		out = append(out, c)
	}
	return out
}

// maxPlaceName is the largest length of a name for Lookup, in bytes.
const maxPlaceName = 100

// hashPlace returns the FNV-1a hash of a folded name.
func hashPlace(name string) uint64 {
	var buf [2 * maxPlaceName]byte
	h := uint64(14695981039346656037)
	for _, b := range appendFolded(buf[:0], name) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

// FoldPlace returns a place's name in the form in which names are compared. That is lower case, Latin
// letters without accents, hyphens as spaces, no periods and apostrophes. cities_gen.go uses it.
func FoldPlace(name string) string { return string(appendFolded(nil, name)) }

func appendFolded(b []byte, name string) []byte {
	space := false
	for _, r := range name {
		switch {
		case r == '-' || r == '–' || r == ' ' || r == '\u00a0':
			space = len(b) > 0
			continue
		case r == '.' || r == '\'' || r == '’' || r == '‘' || r == '`' || 0x300 <= r && r < 0x370:
			continue
		}
		if space {
			b, space = append(b, ' '), false
		}
		if r >= utf8.RuneSelf {
			r = unicode.ToLower(r)
		} else if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		if base := baseLetter(r); base != "" {
			b = append(b, base...)
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

func baseLetter(r rune) string {
	if r < utf8.RuneSelf || r >= 0x250 && r < 0x1e00 || r >= 0x1f00 {
		return ""
	}
	return latinBase[r]
}

// latinBase maps accented Latin letters in lower case to the letters with which they are compared.
var latinBase = func() map[rune]string {
	m := map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'þ': "th"}
	for base, letters := range map[string]string{
		"a": "àáâãäåāăąǎạảấầẩẫậắằẳẵặ", "c": "çćĉċč", "d": "ďđð", "e": "èéêëēĕėęěẹẻẽếềểễệə", "g": "ĝğġģ", "h": "ĥħḥ", "i": "ìíîïĩīĭįıǐịỉ", "j": "ĵ", "k": "ķ", "l": "ĺļľŀł", "n": "ñńņňŋ",
		"o": "òóôõöøōŏőǒơọỏốồổỗộớờởỡợ", "r": "ŕŗř", "s": "śŝşšșṣ", "t": "ţťŧțṭ", "u": "ùúûüũūŭůűųǔưụủứừửữự", "w": "ŵ", "y": "ýÿŷỳỵỷỹ", "z": "źżžẓ",
	} {
		for _, r := range letters {
			m[r] = base
		}
	}
	return m
}()
