package name

import (
	"net/url"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
)

// A source is the kind of text that a candidate was cut from.
type source uint8

const (
	element  source = iota // the title element
	metadata               // the head of the page
	picture                // in place of a picture
	heading
	line // a paragraph or line of its own
	item // of a list
	cell
	prose // running text
	menu
	sources
)

// A text is a piece of the page that candidates are cut from.
type text struct {
	s       string
	source  source
	level   int // of a heading
	block   int // -1 for what is not shown
	last    int // the last block, if lines were joined
	order   int // among the blocks that are not of a menu
	shouted bool
	chunks  []chunk
	low     string // letters of s, see lower
	words   []word // what is worked out once of each chunk, nil before lower
}

// A word is what the features of all candidates that hold a chunk share.
type word struct {
	from, to int  // bytes of low
	inSite   bool // the address holds it
	scored   bool // the sums below are there
	// own and pair are the scores of the chunk's features and of those it has with the
	// chunk before it, by the ranker of names.
	own, pair float64
}

// lower returns precomputed data for each chunk of t, with its letters in lower case as one text.
// All letters and digits are in chunks.
func (d *document) lower(t *text) []word {
	if t.words != nil || len(t.chunks) == 0 {
		return t.words
	}
	t.words = make([]word, len(t.chunks))
	var b strings.Builder
	b.Grow(len(t.s))
	for k, c := range t.chunks {
		from := b.Len()
		b.WriteString(letters(t.s[c.from:c.to]))
		t.words[k] = word{from: from, to: b.Len()}
	}
	t.low = b.String()
	for k := range t.words {
		t.words[k].inSite = strings.Contains(d.site, t.low[t.words[k].from:t.words[k].to])
	}
	return t.words
}

const (
	maxLine     = 30     // chunks of a text that is not running
	maxText     = 4_000  // bytes of one text
	maxRead     = 40_000 // chunks read of a page
	maxTitleLen = 600    // bytes of a title element
	maxJoined   = 4      // lines of one joined text
	maxParts    = 16     // of an address
	minShouted  = 3      // chunks of a text in capitals
)

// A document is a page cut into texts.
type document struct {
	*Page
	texts   []text
	site    string   // letters and digits of the address
	parts   []string // its parts, in lower case
	plain   bool
	words   map[uint32]int  // how often each chunk is printed, by hash
	element map[uint32]bool // chunks of the title element
	shown   int             // blocks that are not of a menu
	lead    int             // texts before those of the blocks
	guesses []Guess         // what the rules say
	joined  []text          // of lines, see joinLines
	hosts   []hostView
}

func newDocument(p *Page) *document {
	d := &document{Page: p, words: make(map[uint32]int, 1024), element: map[uint32]bool{}}
	d.readAddress()
	d.readHosts()
	if s := clip(p.Title, maxTitleLen); s != "" {
		d.add(text{s: s, source: element, block: -1, last: -1})
		if d.Dates != nil {
			markDates(d.texts[0].chunks, d.Dates(-1))
		}
		for _, c := range d.texts[0].chunks {
			d.element[c.hash] = true
		}
	}
	for _, h := range p.Hints {
		src := metadata
		if h.From == "alt" {
			src = picture
		}
		d.add(text{s: h.Text, source: src, block: -1, last: -1})
	}
	d.readBlocks()
	return d
}

// readAddress reads the parts of the address that may hold the event's name: of its
// host, without the top-level domain, and of its folders. A file is named by its page.
func (d *document) readAddress() {
	u, err := url.Parse(clip(d.URL, maxTitleLen))
	if err != nil {
		return
	}
	host := strings.ToLower(u.Hostname())
	host = host[:max(0, strings.LastIndexByte(host, '.'))]
	folders := strings.ToLower(u.Path[:strings.LastIndexByte(u.Path, '/')+1])
	d.site = letters(host + folders)
	for _, part := range strings.FieldsFunc(host+"/"+folders, func(r rune) bool { return !inWord(r) }) {
		part = trimYear(part)
		if len(part) >= 3 && len(d.parts) < maxParts {
			d.parts = append(d.parts, part)
		}
	}
}

func (d *document) readBlocks() {
	d.lead = len(d.texts)
	d.plain = len(d.Blocks) > 0 && strings.HasPrefix(d.Blocks[0].Path, "text/")
	read := 0
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if read >= maxRead && i < len(d.Blocks)-8 {
			continue
		}
		t := text{s: clip(b.Text, maxText), block: i, last: i, level: b.Level, order: d.shown}
		t.source = sourceOf(b)
		if d.Menu[i] {
			t.source = menu
		} else {
			d.shown++
		}
		t.chunks = split(t.s)
		read += len(t.chunks)
		if t.source == line && len(t.chunks) > maxLine || t.source == item && len(t.chunks) > maxLine || t.source == cell && len(t.chunks) > maxLine {
			t.source = prose
		}
		if d.Dates != nil {
			markDates(t.chunks, d.Dates(i))
		}
		for _, c := range t.chunks {
			d.words[c.hash]++
		}
		t.shouted = shouted(t.chunks)
		d.texts = append(d.texts, t)
	}
}

func sourceOf(b *tagtree.Block) source {
	switch b.Kind {
	case tagtree.Heading:
		return heading
	case tagtree.Item, tagtree.Term, tagtree.Definition:
		return item
	case tagtree.Cell, tagtree.HeadCell:
		return cell
	}
	return line
}

func (d *document) add(t text) {
	t.chunks = split(t.s)
	t.shouted = shouted(t.chunks)
	d.texts = append(d.texts, t)
}

// shouted reports whether most chunks are in capitals, so that capitals say nothing.
func shouted(cs []chunk) bool {
	n, all := 0, 0
	for _, c := range cs {
		if c.letters > 2 && !c.is(digits) {
			all++
			if c.is(shout) {
				n++
			}
		}
	}
	return all >= minShouted && n*10 >= all*7
}

// trimYear strips the year, the edition after a hyphen and the marks before them from the end of a
// name. If no letters would remain, the name stays as it is.
func trimYear(s string) string {
	t := s
	if n := len(t); n > 4 && (t[n-4:n-2] == "19" || t[n-4:n-2] == "20") && isDigits(t[n-2:]) {
		t = t[:n-4]
	} else if n > 3 && isDigits(t[n-2:]) && !(n > 5 && t[n-4] == '2' && t[n-3]|0x20 == 'k') && !isDigit(t[n-3]) {
		t = t[:n-2]
	} else if n > 5 && (t[n-4:n-2] == "2K" || t[n-4:n-2] == "2k") && isDigits(t[n-2:]) {
		t = t[:n-4] // 2K27
	} else if at := strings.LastIndexByte(t, '-'); at > 1 && (strings.Trim(t[at+1:], "IVX") == "" || at == n-2 && isDigit(t[n-1])) {
		t = t[:at]
	}
	t = strings.TrimRight(t, " -–'’‘_./")
	if len(letters(t)) < 2 {
		return s
	}
	return t
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}
