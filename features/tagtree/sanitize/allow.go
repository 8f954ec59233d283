package sanitize

import (
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/features/tagtree"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// shownAs maps the elements that a rendered page may have to the names under which they are written. Of other
// elements only the content is written. The tree does not have what readers cannot see, such as scripts,
// styles, options of forms and embedded objects.
var shownAs = map[atom.Atom]string{
	atom.A: "a", atom.Abbr: "abbr", atom.Acronym: "abbr", atom.Address: "address", atom.Article: "article", atom.Aside: "aside",
	atom.B: "b", atom.Bdi: "bdi", atom.Bdo: "bdo", atom.Blockquote: "blockquote", atom.Br: "br", atom.Caption: "caption",
	atom.Center: "div", atom.Cite: "cite", atom.Code: "code", atom.Dd: "dd", atom.Del: "del", atom.Details: "div", atom.Dfn: "dfn",
	atom.Dialog: "div", atom.Dir: "ul", atom.Div: "div", atom.Dl: "dl", atom.Dt: "dt", atom.Em: "em", atom.Fieldset: "div",
	atom.Figcaption: "figcaption", atom.Figure: "figure", atom.Footer: "footer", atom.Form: "div", atom.Frame: "section",
	atom.H1: "h1", atom.H2: "h2", atom.H3: "h3", atom.H4: "h4", atom.H5: "h5", atom.H6: "h6", atom.Header: "header",
	atom.Hgroup: "div", atom.Hr: "hr", atom.I: "i", atom.Iframe: "section", atom.Img: "img", atom.Ins: "ins", atom.Kbd: "kbd",
	atom.Legend: "div", atom.Li: "li", atom.Listing: "pre", atom.Main: "main", atom.Mark: "mark", atom.Menu: "ul", atom.Nav: "nav",
	atom.Ol: "ol", atom.P: "p", atom.Plaintext: "pre", atom.Pre: "pre", atom.Q: "q", atom.Rp: "rp", atom.Rt: "rt", atom.Ruby: "ruby",
	atom.S: "s", atom.Samp: "samp", atom.Section: "section", atom.Small: "small", atom.Span: "span", atom.Strike: "s",
	atom.Strong: "strong", atom.Sub: "sub", atom.Summary: "div", atom.Sup: "sup", atom.Table: "table", atom.Tbody: "tbody",
	atom.Td: "td", atom.Tfoot: "tfoot", atom.Th: "th", atom.Thead: "thead", atom.Time: "time", atom.Tr: "tr", atom.Tt: "code",
	atom.U: "u", atom.Ul: "ul", atom.Var: "var", atom.Wbr: "wbr", atom.Xmp: "pre",
	atom.Html: "div", atom.Body: "div", // written only for their language or direction
}

// allowedAttributes are the attributes that may be written, in addition to href, rel, src and alt. on lists
// the elements that may have the attribute, "" for all; valid checks the value. There are at most 32 because
// emitter.attributes needs a bit for each.
var allowedAttributes = [...]struct {
	key, on string
	valid   func(string) bool
}{
	{"title", "", func(s string) bool { return len(s) <= maxShownTitle }},
	{"lang", "", func(s string) bool { return htmltree.ValidLanguage(s) != "" }},
	{"dir", "", isOneOf("ltr rtl auto")},
	{"colspan", "td th", isCount},
	{"rowspan", "td th", isCount},
	{"width", "img", isCount},
	{"height", "img", isCount},
	{"scope", "th", isOneOf("row col rowgroup colgroup")},
	{"start", "ol", isCount},
	{"value", "li", isCount},
	{"reversed", "ol", func(s string) bool { return s == "" }},
	{"datetime", "time del ins", func(s string) bool { return len(s) <= 40 }},
}

// maxShownTitle is the maximum length of a title or alt attribute, in bytes.
const maxShownTitle = 1000

// allowedRule returns the index in allowedAttributes of the rule that permits attribute a on an element. It
// returns -1 if there is none.
func allowedRule(name string, a html.Attribute) int {
	for i, rule := range allowedAttributes {
		if rule.key == a.Key && a.Namespace == "" && (rule.on == "" || hasWord(rule.on, name)) && rule.valid(a.Val) {
			return i
		}
	}
	return -1
}

func isOneOf(values string) func(string) bool {
	return func(s string) bool { return hasWord(values, strings.ToLower(s)) }
}

func hasWord(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

func isCount(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 0 && n <= tagtree.MaxRowSpan
}

// A contentKind is what an element may contain in the output.
type contentKind uint8

// contentOf maps the elements that are written to what they may contain. Elements that are not listed contain
// text and inline elements.
const (
	inline    contentKind = iota
	flow                  // any content
	textBlock             // text and inline elements; the element itself is block-level
	list
	tableRows
	tableRow
	void
)

var contentOf = map[string]contentKind{
	"": flow, "address": flow, "article": flow, "aside": flow, "blockquote": flow, "dd": flow, "div": flow, "dt": flow,
	"figcaption": flow, "figure": flow, "footer": flow, "header": flow, "li": flow, "main": flow, "nav": flow, "section": flow,
	"td": flow, "th": flow, "caption": textBlock, "h1": textBlock, "h2": textBlock, "h3": textBlock, "h4": textBlock, "h5": textBlock,
	"h6": textBlock, "p": textBlock, "pre": textBlock, "dl": list, "ol": list, "ul": list, "table": tableRows, "tbody": tableRows,
	"tfoot": tableRows, "thead": tableRows, "tr": tableRow, "br": void, "hr": void, "img": void, "wbr": void,
}

// nesting returns the name under which an element is written within parent, and the elements to open before it.
// Browsers move misplaced parts of tables and lists; with these names they build exactly the tree that is
// written.
func nesting(name, parent string) (as string, before []string) {
	switch name {
	case "caption", "thead", "tbody", "tfoot":
		if parent != "table" {
			name = "div"
		}
	case "tr":
		if contentOf[parent] != tableRows {
			name = "div"
		}
	case "td", "th":
		if contentOf[parent] != tableRows && parent != "tr" {
			name = "div"
		}
	case "li":
		if parent != "ul" && parent != "ol" {
			name = "div"
		}
	case "dt", "dd":
		if parent != "dl" {
			name = "div"
		}
	case "rt", "rp":
		if parent != "ruby" {
			name = "span"
		}
	case "h1", "h2", "h3", "h4", "h5", "h6":
		if contentOf[parent] == textBlock {
			name = "div"
		}
	}
	return name, missingTableParts(name, parent)
}

// missingTableParts returns the parts of a table that must be opened between parent and a child of the given name.
func missingTableParts(name, parent string) []string {
	cell := name == "td" || name == "th"
	switch {
	case parent == "table" && (name == "caption" || name == "thead" || name == "tbody" || name == "tfoot"):
		return nil
	case parent == "table" && name == "tr":
		return []string{"tbody"}
	case parent == "table" && cell:
		return []string{"tbody", "tr"}
	case parent == "table":
		return []string{"tbody", "tr", "td"}
	case parent == "tr" && !cell:
		return []string{"td"}
	case contentOf[parent] == tableRows && cell:
		return []string{"tr"}
	case contentOf[parent] == tableRows && name != "tr":
		return []string{"tr", "td"}
	}
	return nil
}
