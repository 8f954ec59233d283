package rundir

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// JudgedPages returns what the crawl said of each page, by URL.
func JudgedPages(run string) (map[string]Page, error) {
	path := filepath.Join(run, PagesFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	pages := map[string]Page{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	var broken error // of the last line alone: a crawl that was killed may end in half a line
	for n := 1; lines.Scan(); n++ {
		if broken != nil {
			return nil, broken
		}
		var p Page
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			broken = fmt.Errorf("%s: line %d: %w", path, n, err)
			continue
		}
		if p.PageType != "" {
			pages[p.URL] = p
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return pages, nil
}
