package tagtree

import (
	"unicode"
	"unicode/utf8"

	"eventseer/internal/text"
)

// A TextWriter collects the text of a page run by run; each run that holds text
// becomes a block.
type TextWriter struct {
	out    []byte
	start  int  // where the current run begins in out
	inRun  bool // the run holds text
	space  bool // white space waits for the next word
	full   bool // a limit is reached, the rest is left out
	run    int  // number of the current run, counted also where it is empty
	struck []Span
	blocks []Block
	runs   []int // the run of each block
}

// Add appends text with white space folded. newline is called at line ends if
// it is not nil.
func (w *TextWriter) Add(s string, struck bool, newline func()) {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\n' && newline != nil:
			newline()
			i++
		case c <= ' ' || c == 0x7F:
			w.space = true
			i++
		case c < utf8.RuneSelf:
			end := i + 1
			for end < len(s) && s[end] > ' ' && s[end] < 0x7F {
				end++
			}
			w.put(s[i:end], struck)
			i = end
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			switch {
			case unicode.IsSpace(r):
				w.space = true
			case !IsInvisible(r):
				w.put(s[i:i+n], struck)
			}
			i += n
		}
	}
}

// IsInvisible reports whether a rune leaves no mark: zero-width spaces, soft
// hyphens, byte order marks, directional marks.
func IsInvisible(r rune) bool {
	switch r {
	case 0x00AD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF:
		return true
	}
	return r < 0xA0 // C1 controls
}

// put appends a piece without white space.
func (w *TextWriter) put(s string, struck bool) {
	if w.full {
		return
	}
	if len(w.out)+len(s)+2 > maxText {
		s = text.Cut(s, max(0, maxText-len(w.out)-2))
		w.full = true
		if s == "" {
			return
		}
	}
	switch {
	case !w.inRun && len(w.out) > 0:
		w.out = append(w.out, '\n')
		w.start = len(w.out)
	case w.inRun && w.space:
		w.out = append(w.out, ' ')
	}
	w.inRun, w.space = true, false
	from := len(w.out)
	w.out = append(w.out, s...)
	if struck {
		w.strike(from-w.start, len(w.out)-w.start)
	}
}

// strike notes struck text, joined to a span that ends just before it.
func (w *TextWriter) strike(start, end int) {
	if n := len(w.struck); n > 0 && start-w.struck[n-1].End <= 1 {
		if start == w.struck[n-1].End || w.out[w.start+start-1] == ' ' {
			w.struck[n-1].End = end
			return
		}
	}
	w.struck = append(w.struck, Span{start, end})
}

// Flush ends the run; b says what its block is, should it hold text.
func (w *TextWriter) Flush(b Block) {
	w.run++
	w.space = false
	if !w.inRun {
		return
	}
	b.Start, b.Struck = w.start, w.struck
	w.blocks = append(w.blocks, b)
	w.runs = append(w.runs, w.run-1)
	w.inRun, w.struck = false, nil
	w.full = w.full || len(w.blocks) >= MaxBlocks
}

// Result returns the text and its blocks.
func (w *TextWriter) Result() (string, []Block) {
	text := string(w.out)
	for i := range w.blocks {
		end := len(text)
		if i+1 < len(w.blocks) {
			end = w.blocks[i+1].Start - 1
		}
		w.blocks[i].Text = text[w.blocks[i].Start:end]
	}
	return text, w.blocks
}
