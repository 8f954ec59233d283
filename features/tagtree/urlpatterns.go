package tagtree

import (
	"hash/maphash"
	"slices"
)

// URLPatterns learns from the URLs of one host which of their segments vary. A
// segment that stands beside many that nothing else has in common but their place
// is a record's: after "talks/owls", "talks/eagles" and so on it is "talks/*". The
// zero value is ready. It is for one goroutine.
type URLPatterns struct {
	root urlPlace
	seen map[uint64]bool // the URLs, by hash
}

// A urlPlace is a place in the tree of the host's folders.
type urlPlace struct {
	dirs   map[string]*urlPlace
	leaves map[string]*urlLeaf // by segment, ending and query
}

// A urlLeaf is a last segment.
type urlLeaf struct {
	end, query string
	urls       int
}

const (
	// variesFrom is the number of segments at one place from which they vary.
	variesFrom = 5
	// maxPatternURLs bounds the URLs that are learned from. Later ones are read by
	// what these have taught.
	maxPatternURLs = 5_000
)

var urlSeed = maphash.MakeSeed()

// Add learns a URL. One that was seen before teaches nothing.
func (p *URLPatterns) Add(rawURL string) {
	s := splitURL(rawURL)
	if s.host == "" || len(p.seen) >= maxPatternURLs {
		return
	}
	h := maphash.String(urlSeed, rawURL)
	if p.seen[h] {
		return
	}
	if p.seen == nil {
		p.seen = make(map[uint64]bool)
	}
	p.seen[h] = true
	at := &p.root
	for _, dir := range s.dirs {
		next := at.dirs[dir]
		if next == nil {
			next = new(urlPlace)
			if at.dirs == nil {
				at.dirs = make(map[string]*urlPlace)
			}
			at.dirs[dir] = next
		}
		at = next
	}
	leaf := at.leaves[s.leafKey()]
	if leaf == nil {
		leaf = &urlLeaf{end: s.end, query: s.query}
		if at.leaves == nil {
			at.leaves = make(map[string]*urlLeaf)
		}
		at.leaves[s.leafKey()] = leaf
	}
	leaf.urls++
}

func (p splitPattern) leafKey() string { return p.leaf + p.end + "?" + p.query }

// Pattern returns the pattern of a URL of the host as URLPattern does, with "*" for
// the segments that vary by what was learned so far. The URL itself need not have
// been learned.
func (p *URLPatterns) Pattern(rawURL string) string {
	s := splitURL(rawURL)
	if s.host == "" {
		return ""
	}
	s.dirs = slices.Clone(s.dirs)
	at := urlPlaces{&p.root}
	for i, dir := range s.dirs {
		if varying := at.varyingDirs(dir); varying != nil {
			s.dirs[i], at = "*", varying
			continue
		}
		at = at.named(dir)
	}
	if at.leafVaries(s) {
		s.leaf = "*"
	}
	return s.String()
}

// urlPlaces are folders of which a pattern knows no difference.
type urlPlaces []*urlPlace

func (ps urlPlaces) named(dir string) urlPlaces {
	var next urlPlaces
	for _, p := range ps {
		if d := p.dirs[dir]; d != nil {
			next = append(next, d)
		}
	}
	return next
}

// leafVaries reports whether a last segment is a record's: it was seen once at most,
// and with it enough others of its ending and query.
func (ps urlPlaces) leafVaries(s splitPattern) bool {
	if isGeneral(s.leaf) || s.leaf == "" || ps.urlsOf(s.leafKey()) > 1 {
		return false
	}
	once := make(map[string]int)
	for _, p := range ps {
		for key, l := range p.leaves {
			if l.end == s.end && l.query == s.query && !isGeneral(key) {
				once[key] += l.urls
			}
		}
	}
	n := 0
	for _, urls := range once {
		if urls == 1 {
			n++
		}
	}
	return n >= variesFrom
}

func (ps urlPlaces) urlsOf(key string) int {
	n := 0
	for _, p := range ps {
		if l := p.leaves[key]; l != nil {
			n += l.urls
		}
	}
	return n
}

// isGeneral reports whether a segment is not one name any more.
func isGeneral(segment string) bool {
	for i := range len(segment) {
		if segment[i] == '#' || segment[i] == '*' {
			return true
		}
	}
	return false
}

// varyingDirs returns the folders that vary with one of the given name, nil if it
// does not: enough folders beside it hold what it holds, as those of people hold
// their "cv".
func (ps urlPlaces) varyingDirs(dir string) urlPlaces {
	own := ps.named(dir)
	if isGeneral(dir) || len(own) == 0 {
		return nil
	}
	holds := own.contents()
	var alike urlPlaces
	for _, p := range ps {
		for name, d := range p.dirs {
			if !isGeneral(name) && holds.mostlyIn(d) {
				alike = append(alike, d)
			}
		}
	}
	if len(alike) < variesFrom {
		return nil
	}
	return alike
}

// contents are the names in folders that are no records'.
type contents map[string]bool

func (ps urlPlaces) contents() contents {
	c := make(contents)
	for _, p := range ps {
		for key := range p.leaves {
			if !isGeneral(key) {
				c[key] = true
			}
		}
		for name := range p.dirs {
			if !isGeneral(name) {
				c[name+"/"] = true
			}
		}
	}
	return c
}

// mostlyIn reports whether half of the names or more are in a folder too.
func (c contents) mostlyIn(d *urlPlace) bool {
	both := 0
	for name := range c {
		if d.leaves[name] != nil || name[len(name)-1] == '/' && d.dirs[name[:len(name)-1]] != nil {
			both++
		}
	}
	return len(c) > 0 && 2*both >= len(c)
}
