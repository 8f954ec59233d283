package template

import (
	"hash/maphash"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// Limits on a pattern. Parts of a URL beyond them are left out of the pattern.
const (
	maxPatternSegments = 16
	maxPatternKeys     = 16
	maxPatternSegment  = 64 // bytes of a segment, a key or a value
)

// Minimum number of words or bytes that makes a segment a slug, such as a title.
const (
	slugWords = 4
	slugBytes = 30
)

// URLPattern returns the part of a URL that URLs of one template are expected to share, such as
// "conf.example/talks/#/*.html?id=#". It consists of the host, the segments of the path, and the keys of the
// query in sorted order. Numbers such as 2012, 2012-05 and 10.1 become "#"; titles and hashes become "*". The
// scheme, the fragment and names of index pages are left out. It returns "" if rawURL is not a web address.
func URLPattern(rawURL string) string { return splitURL(rawURL).String() }

// A splitPattern is a URL pattern in parts.
type splitPattern struct {
	host  string
	dirs  []string
	leaf  string // last segment, "" for the root
	end   string // extension of the leaf with its dot, or "/"
	query string
}

func (p splitPattern) String() string {
	if p.host == "" {
		return ""
	}
	s := p.host + "/" + strings.Join(append(slices.Clip(p.dirs), p.leaf), "/")
	if p.leaf != "" {
		s += p.end
	}
	if p.query != "" {
		s += "?" + p.query
	}
	return s
}

func splitURL(rawURL string) splitPattern {
	canonical, err := webgraph.Canonical(rawURL)
	if err != nil {
		return splitPattern{}
	}
	u, err := url.Parse(canonical)
	if err != nil {
		return splitPattern{}
	}
	p := splitPattern{host: u.Host, query: queryPattern(u.Query())}
	segments := strings.Split(strings.TrimPrefix(u.Path, "/"), "/")
	if last := len(segments) - 1; segments[last] == "" || isIndexName(segments[last]) {
		segments, p.end = segments[:last], "/"
	} else if ext := path.Ext(segments[last]); isExtension(ext) {
		segments[last], p.end = strings.TrimSuffix(segments[last], ext), strings.ToLower(ext)
	}
	segments = segments[:min(len(segments), maxPatternSegments)]
	for i, s := range segments {
		segments[i] = generalizeSegment(s)
	}
	if n := len(segments); n > 0 {
		p.dirs, p.leaf = segments[:n-1], segments[n-1]
	}
	return p
}

func queryPattern(query url.Values) string {
	keys := slices.Sorted(maps.Keys(query))
	keys = keys[:min(len(keys), maxPatternKeys)]
	for i, key := range keys {
		keys[i] = text.CutBytes(key, maxPatternSegment) + "=" + generalizeSegment(query.Get(key))
	}
	return strings.Join(keys, "&")
}

// isIndexName reports whether a file name is that of a folder's default page.
func isIndexName(name string) bool {
	base, ext, _ := strings.Cut(strings.ToLower(name), ".")
	switch base {
	case "index", "default", "home":
		return ext == "" || isExtension("."+ext)
	}
	return false
}

// isExtension reports whether a suffix, including its dot, may be the extension of a file.
func isExtension(ext string) bool {
	if len(ext) < 2 || len(ext) > 6 {
		return false
	}
	letters := false
	for _, c := range []byte(ext[1:]) {
		if !isASCIILetter(c) && !isASCIIDigit(c) {
			return false
		}
		letters = letters || isASCIILetter(c)
	}
	return letters
}

// generalizeSegment returns a segment or a value with numbers, titles and hashes replaced.
func generalizeSegment(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("-_+ .,~", r) })
	switch {
	case !hasLetter(s):
		return maskNumbers(s)
	case len(words) >= slugWords, len(s) >= slugBytes, isHash(s):
		return "*"
	}
	return text.CutBytes(maskNumbers(s), maxPatternSegment)
}

func hasLetter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 || isASCIILetter(byte(r)) })
}

// maskNumbers replaces each run of digits by "#". A run may contain single marks such as "-" between digits.
func maskNumbers(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if !isASCIIDigit(s[i]) {
			b.WriteByte(s[i])
			continue
		}
		b.WriteByte('#')
		for i+1 < len(s) && (isASCIIDigit(s[i+1]) ||
			strings.IndexByte(".-_,", s[i+1]) >= 0 && i+2 < len(s) && isASCIIDigit(s[i+2])) {
			i++
		}
	}
	return b.String()
}

// Minimum length of a hash in bytes, and minimum number of changes between letters and digits in it.
const (
	hashBytes    = 8
	hashSwitches = 3
)

// isHash reports whether a segment is a hexadecimal number or an identifier made by a program.
func isHash(s string) bool {
	if len(s) < hashBytes {
		return false
	}
	switches := 0
	for i := range len(s) {
		switch {
		case !isASCIILetter(s[i]) && !isASCIIDigit(s[i]) && s[i] != '-':
			return false
		case i > 0 && isASCIIDigit(s[i]) != isASCIIDigit(s[i-1]):
			switches++
		}
	}
	return switches >= hashSwitches
}

func isASCIIDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// URLPatterns finds from the URLs of one host which segments vary. A segment varies if it belongs to a
// record: after "talks/owls", "talks/eagles" and other names in the same folder, the pattern is "talks/*".
// The zero value is ready to use. It is not safe for concurrent use.
type URLPatterns struct {
	root urlPlace
	seen map[uint64]bool // hashes of the URLs added
}

// A urlPlace is a folder of the host.
type urlPlace struct {
	dirs   map[string]*urlPlace
	leaves map[string]*urlLeaf // by segment, extension and query
}

// A urlLeaf is a last segment with the number of URLs that end in it.
type urlLeaf struct {
	end, query string
	urls       int
}

const (
	// variesFrom is the minimum number of different segments in one folder that shows that they vary.
	variesFrom = 5
	// maxPatternURLs is the maximum number of URLs that are added. Later URLs have no effect on patterns.
	maxPatternURLs = 5_000
)

var urlSeed = maphash.MakeSeed()

// Add adds a URL to the statistics. A URL that was added before has no effect.
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

// Pattern returns the pattern of a URL of the host, like URLPattern, with "*" for segments that vary. The URL
// itself need not have been added.
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
		at = at.foldersNamed(dir)
	}
	if at.isLeafVarying(s) {
		s.leaf = "*"
	}
	return s.String()
}

// urlPlaces are folders with the same pattern.
type urlPlaces []*urlPlace

func (ps urlPlaces) foldersNamed(dir string) urlPlaces {
	var next urlPlaces
	for _, p := range ps {
		if d := p.dirs[dir]; d != nil {
			next = append(next, d)
		}
	}
	return next
}

// isLeafVarying reports whether a last segment belongs to a record. It must have been seen at most once, and
// enough other segments with its extension and query exactly once.
func (ps urlPlaces) isLeafVarying(s splitPattern) bool {
	if isGeneral(s.leaf) || s.leaf == "" || ps.countURLs(s.leafKey()) > 1 {
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

func (ps urlPlaces) countURLs(key string) int {
	n := 0
	for _, p := range ps {
		if l := p.leaves[key]; l != nil {
			n += l.urls
		}
	}
	return n
}

// isGeneral reports whether a segment contains a placeholder.
func isGeneral(segment string) bool { return strings.ContainsAny(segment, "#*") }

// varyingDirs returns the folders that vary together with the folder dir, or nil if it does not vary. A
// folder varies if enough sibling folders have mostly the same contents, as each person's folder has a "cv".
func (ps urlPlaces) varyingDirs(dir string) urlPlaces {
	own := ps.foldersNamed(dir)
	if isGeneral(dir) || len(own) == 0 {
		return nil
	}
	holds := own.folderContents()
	var alike urlPlaces
	for _, p := range ps {
		for name, d := range p.dirs {
			if !isGeneral(name) && holds.isMostlyIn(d) {
				alike = append(alike, d)
			}
		}
	}
	if len(alike) < variesFrom {
		return nil
	}
	return alike
}

// folderContents are the names in folders, without those of records. Names of folders end in "/".
type folderContents map[string]bool

func (ps urlPlaces) folderContents() folderContents {
	c := make(folderContents)
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

// isMostlyIn reports whether at least half of the names are in d.
func (c folderContents) isMostlyIn(d *urlPlace) bool {
	both := 0
	for name := range c {
		if d.leaves[name] != nil || name[len(name)-1] == '/' && d.dirs[name[:len(name)-1]] != nil {
			both++
		}
	}
	return len(c) > 0 && 2*both >= len(c)
}
