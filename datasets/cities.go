package datasets

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
)

// The table is made by cities_gen.go from GeoNames (https://www.geonames.org),
// licensed under CC BY 4.0; changed: names and countries only.
//
//go:embed cities.tsv.gz
var citiesTable []byte

// maxCities bounds the table once unpacked, in bytes.
const maxCities = 4 << 20

// Cities returns the cities of 15,000 inhabitants or more that can be told by
// their name alone, with the ISO 3166-1 alpha-2 code of their country, or ""
// where the name does not settle it. Names that are also common English words
// are left out. It is decoded at the first call and shared by all callers, who
// must not change it; it may be called from any goroutine.
func Cities() (map[string]string, error) { return cities() }

var cities = sync.OnceValues(func() (map[string]string, error) {
	z, err := gzip.NewReader(bytes.NewReader(citiesTable))
	if err != nil {
		return nil, fmt.Errorf("cities: %w", err)
	}
	m := map[string]string{}
	lines := bufio.NewScanner(io.LimitReader(z, maxCities))
	for lines.Scan() {
		name, country, ok := strings.Cut(lines.Text(), "\t")
		if !ok || name == "" {
			return nil, fmt.Errorf("cities: line %d holds no name and country", len(m)+1)
		}
		m[name] = country
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("cities: %w", err)
	}
	return m, nil
})
