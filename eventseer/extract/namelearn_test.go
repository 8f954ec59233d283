//go:build measure

package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/datasets/split"
	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/eventseer/extract/name"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/text/unicode/norm"
)

// A namedPage is a page with the names of its event.
type namedPage struct {
	corpus string // gold, work, other (pages of work sites that are not calls), hosted, read (calls that are no parts of others), wikicfp
	group  string
	url    string
	forms  []string // forms of the name, the full one first
	short  string   // the acronym
	lesson *name.Example
	// noAcronym means that the acronym is unknown, not that there is none.
	noAcronym bool
	texts     []string
	noName    bool   // the name is unknown
	text      string // text of a plain-text call or a mail
	isCall    bool
	unlearned bool // similar to a page that is left out: measured but not used for training
	// rolesOf is the owner whose pages the model of block roles was trained without.
	rolesOf string
	head    string   // its title element and first lines
	words   contents // sample of its content
	// near are the owners of similar pages, including its own.
	near map[string]bool
	kin  string // first of near; similar pages are counted as one group

	source  *webgraph.Page
	variant bool // the page without some of its mark-up: used for training but not measured
}

// A namedJob is a page whose candidates are to be read.
type namedJob struct {
	n    *namedPage
	page *webgraph.Page
}

// readNamedPages reads the candidates of pages.
func readNamedPages(jobs []namedJob, roles []*block.Model) {
	last := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC).Year() + MaxAhead
	parallel(len(jobs), func(i int) {
		n := jobs[i].n
		n.source = jobs[i].page
		tree, err := tagtree.Parse(jobs[i].page)
		if err != nil {
			return
		}
		p := &nameReader{page: preparePage(tree, last)}
		p.roles = roles[foldOf(n.rolesOf)].Roles(tree, p.blocks)
		n.lesson = name.NewExample(p.namePage())
		lines := []string{tree.Title()}
		for _, b := range p.blocks[:min(len(p.blocks), headBlocks)] {
			lines = append(lines, b.Text)
		}
		n.head = strings.Join(lines, "\n")
		if n.corpus == "mail" || n.corpus == "series" {
			for _, b := range p.blocks {
				n.text += b.Text + "\n"
			}
		}
		n.words = contentsOf(p.blocks)
	})
}

// headBlocks is the number of blocks in the head of a page.
const headBlocks = 12

type nameRecord struct {
	URL, Title, Acronym string
	TitleAlt            []string `json:"title_alt"`
	Source              struct{ Repo string }
}

func (r nameRecord) forms() []string {
	if r.Title == "" {
		return nil
	}
	return append([]string{r.Title}, r.TitleAlt...)
}

func nameOwner(site string) string {
	owner, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(site, "/", "__")), "__")
	return owner
}

// recordedPages returns the pages of gold and of the work part of sites, whose events were labelled by
// reading. It also returns the first page with each file name and address.
func recordedPages(t *testing.T) (all []*namedPage, want map[string]map[string]*namedPage) {
	want = map[string]map[string]*namedPage{}
	add := func(file string, n *namedPage) {
		all = append(all, n)
		if want[file] == nil {
			want[file] = map[string]*namedPage{}
		}
		if want[file][n.url] == nil {
			want[file][n.url] = n
		}
	}
	for _, line := range sharedLines(t, "corpora/gold/gold.jsonl") {
		var r nameRecord
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		add("gold/pages.warc.gz", &namedPage{corpus: "gold", group: nameOwner(r.Source.Repo), url: r.URL, forms: r.forms(), short: r.Acronym})
	}
	says := map[string]nameRecord{}
	for _, line := range sharedLines(t, "corpora/sites/says.jsonl") {
		var r nameRecord
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		says[r.URL] = r
	}
	for _, line := range sharedLines(t, "corpora/sites/sites.jsonl") {
		var s struct {
			Site, CFP string
			Pages     []string
			Event     nameRecord
		}
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		if split.IsValidation(s.Site) {
			continue
		}
		r := says[s.CFP]
		add("sites/cfp.warc.gz", &namedPage{corpus: "work", group: nameOwner(s.Site), url: s.CFP, forms: r.forms(), short: r.Acronym})
		for i, u := range s.Pages {
			if strings.HasSuffix(u, "/index.html") { // redirects to its folder
				u = strings.TrimSuffix(u, "index.html")
			}
			if u != strings.TrimSuffix(s.CFP, "index.html") && u != s.CFP && i < 16 {
				add("sites/sites.warc.gz", &namedPage{corpus: "other", group: nameOwner(s.Site), url: u, forms: s.Event.forms(), short: s.Event.Acronym})
			}
		}
	}
	for _, c := range hostedCalls(t) {
		if c.Part == "learn" {
			n := &namedPage{corpus: "read", group: c.URL, url: c.URL, forms: c.Titles, short: strings.Join(c.Acronyms[:min(1, len(c.Acronyms))], "")}
			if len(c.Parents) > 0 {
				n.corpus = "hosted"
			}
			if n.short == "?" {
				n.short, n.noAcronym = "", true
			}
			add("web/web.warc.gz", n)
		}
	}
	return all, want
}

// namedPages returns the training pages: gold, the work part of sites, wikicfp, and the pages of
// corpora/pages that the table labels.
func namedPages(t *testing.T) []*namedPage {
	out, want := recordedPages(t)
	var jobs []namedJob
	for _, file := range []string{"gold/pages.warc.gz", "sites/cfp.warc.gz", "sites/sites.warc.gz", "web/web.warc.gz"} {
		for p, err := range warc.Pages(filepath.Join(golden.SharedPath(t, "corpora"), file)) {
			if err != nil {
				continue
			}
			if n := want[file][p.URL]; n != nil && p.Status == http.StatusOK {
				jobs = append(jobs, namedJob{n, p})
				delete(want[file], p.URL)
			}
		}
	}
	jobs = append(jobs, plainCalls(t)...)
	roles := foldRoles(t)
	for _, j := range jobs {
		j.n.rolesOf = j.n.group
		if j.n.corpus == "wikicfp" {
			out = append(out, j.n)
		}
	}
	readNamedPages(jobs, roles)
	for _, n := range out {
		if n.corpus == "wikicfp" && n.lesson != nil {
			n.short = acronymBehind(n.lesson.Acronyms(), n.forms[0], n.text)
			n.noAcronym = n.short == ""
		}
	}
	var kept []*namedPage
	for _, n := range out {
		if n.lesson != nil {
			kept = append(kept, n)
		} else {
			t.Log("no page", n.corpus, n.url)
		}
	}
	left := leftOut(t)
	near := map[string]int{}
	for _, n := range kept {
		if n.unlearned = left.near(n.words); n.unlearned {
			near[n.corpus]++
		}
	}
	t.Log("near pages left out, and not learned from:", near)
	kept = append(kept, distantPages(t, newNameTable(kept), roles, left)...)
	joinNear(t, kept)
	return kept
}

// withVariants appends the variants of pages whose events were labelled by reading. A page is known by its
// title element and headings, but many pages have neither, or none that names the event.
func withVariants(t *testing.T, pages []*namedPage) []*namedPage {
	var jobs []namedJob
	for _, p := range pages {
		switch p.corpus {
		case "gold", "work", "other", "hosted", "read":
			for _, body := range variantsOf(p.source.Body) {
				n := &namedPage{
					corpus: p.corpus, group: p.group, url: p.url, forms: p.forms, short: p.short, noAcronym: p.noAcronym, noName: p.noName,
					isCall: p.isCall, unlearned: p.unlearned, rolesOf: p.rolesOf, near: p.near, kin: p.kin, variant: true,
				}
				page := *p.source
				page.Body = body
				jobs = append(jobs, namedJob{n, &page})
			}
		}
	}
	readNamedPages(jobs, foldRoles(t))
	out := slices.Clone(pages)
	for _, j := range jobs {
		if j.n.lesson != nil {
			out = append(out, j.n)
		}
	}
	return out
}

var (
	titleElement = regexp.MustCompile(`(?is)<title\b.*?</title>`)
	headingTag   = regexp.MustCompile(`(?i)<(/?)h[1-6]\b[^>]*>`)
	nameOfStyle  = regexp.MustCompile(`(?i)\s(?:class|id)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)`)
)

// variantsOf returns the variants of a page: one without title element, and one without headings and names of
// styles.
func variantsOf(body []byte) [][]byte {
	var out [][]byte
	if v := titleElement.ReplaceAll(body, nil); len(v) < len(body) {
		out = append(out, v)
	}
	if headingTag.Match(body) {
		out = append(out, nameOfStyle.ReplaceAll(headingTag.ReplaceAll(body, []byte("<${1}div>")), nil))
	}
	return out
}

// plainCalls returns the calls of corpora/wikicfp with the names that their posters typed.
func plainCalls(t *testing.T) (jobs []namedJob) {
	for i, line := range sharedLines(t, "corpora/wikicfp/events.jsonl") {
		var r struct{ Name, Text string }
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		n := &namedPage{corpus: "wikicfp", group: fmt.Sprint("call ", i), url: fmt.Sprint(i), forms: []string{r.Name}, text: r.Text}
		page := &webgraph.Page{URL: "https://calls.example/", Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, Body: []byte(r.Text)}
		jobs = append(jobs, namedJob{n, page})
	}
	return jobs
}

// acronymBehind returns the acronym of list that is in brackets after the name, in the name's own text or
// in text, and abbreviates the name. It returns "" for none.
func acronymBehind(list []string, full, text string) string {
	for _, s := range []string{full, strings.Join(strings.Fields(text), " ")} {
		title, _, _ := strings.Cut(full, "(")
		title = strings.TrimSpace(title)
		at := strings.Index(strings.ToLower(s), strings.ToLower(title))
		if at < 0 || title == "" || at+len(title) > len(s) {
			continue
		}
		m := bracketBehind.FindStringSubmatch(s[at+len(title):])
		if m == nil {
			continue
		}
		for _, a := range list {
			if a != "" && scoredAcronym(a) == scoredAcronym(m[1]) && name.IsAbbreviation(a, title) {
				return a
			}
		}
	}
	return soleSpelt(list, full)
}

// soleSpelt returns the acronym of list with three or more letters that abbreviates a name without being a
// word of it. It returns "" if there is none or several.
func soleSpelt(list []string, full string) string {
	words := scoredText(full) + " "
	sole := ""
	for _, a := range list {
		key := scoredAcronym(a)
		if len(key) < 3 || !name.IsAbbreviation(a, full) || strings.Contains(words, " "+key+" ") {
			continue
		}
		if sole != "" {
			return ""
		}
		sole = a
	}
	return sole
}

// bracketBehind matches brackets after a name and an optional year.
var bracketBehind = regexp.MustCompile(`^[\s,-]*(?:(?:19|20)\d\d)?\s*\(([^()]{2,24})\)`)

// formShare returns the maximum share of common words of a text and a form of the name, and the index of
// the form.
func formShare(s string, forms [][]string) (best float64, which int) {
	words := scoredWords(s)
	for i, f := range forms {
		if v := name.SharedWords(words, f); v > best {
			best, which = v, i
		}
	}
	return best, which
}

func formWords(forms []string) [][]string {
	var out [][]string
	for _, f := range forms {
		out = append(out, scoredWords(f))
	}
	return out
}

func TestNameRecall(t *testing.T) {
	pages := namedPages(t)
	hit, full, all, cands := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	ahit, aall := map[string]int{}, map[string]int{}
	for _, n := range pages {
		if len(n.forms) > 0 {
			names, _ := n.lesson.Names(n.short, 1)
			cands[n.corpus] += len(names)
			all[n.corpus]++
			words := formWords(n.forms)
			ok, fl := false, false
			for _, c := range names {
				v, _ := formShare(c, words)
				ok = ok || v >= 0.8
				v, _ = formShare(c, words[:1])
				fl = fl || v >= 0.8
			}
			if ok {
				hit[n.corpus]++
			} else if n.corpus != "other" {
				t.Log(n.corpus, n.url, n.forms)
			}
			if fl {
				full[n.corpus]++
			} else if n.corpus != "other" && n.corpus != "wikicfp" {
				t.Log("NOT FULL", n.corpus, n.url, n.forms[0])
			}
		}
		if n.short != "" {
			aall[n.corpus]++
			ok := false
			for _, a := range n.lesson.Acronyms() {
				ok = ok || a != "" && scoredAcronym(a) == scoredAcronym(n.short)
			}
			if ok {
				ahit[n.corpus]++
			} else if n.corpus != "other" {
				t.Log("ACRONYM", n.corpus, n.url, n.short)
			}
		}
	}
	for c := range all {
		t.Logf("%s: %d of %d names, %d full, %d candidates a page; acronyms %d of %d", c, hit[c], all[c], full[c], cands[c]/all[c], ahit[c], aall[c])
	}
}

func sharedLines(t *testing.T, path string) [][]byte {
	b, err := os.ReadFile(golden.SharedPath(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(b), []byte("\n"))
}

var asciiWord = regexp.MustCompile(`[a-z0-9]+`)

// scoredWords returns the words of a title as score_extract.py counts them.
func scoredWords(s string) []string {
	s = strings.Map(func(r rune) rune {
		if norm.NFD.PropertiesString(string(r)).CCC() != 0 {
			return -1
		}
		return r
	}, norm.NFKD.String(s))
	s = strings.Join(strings.Fields(strings.ToLower(s)), " ")
	if words := asciiWord.FindAllString(s, -1); words != nil {
		return words
	}
	return strings.Split(s, "")
}

var (
	notASCII  = regexp.MustCompile(`[^a-z0-9]`)
	yearAtEnd = regexp.MustCompile(`(19|20)\d\d$|([a-z])\d\d$`)
)

// scoredAcronym returns an acronym in the form that score_extract.py compares.
func scoredAcronym(s string) string {
	return yearAtEnd.ReplaceAllString(notASCII.ReplaceAllString(strings.ToLower(s), ""), "$2")
}

// foldRoles returns the models of block roles of EVENTSEER_FOLDS, each trained without the owners of its
// fold, or the embedded model for all folds.
func foldRoles(t *testing.T) []*block.Model {
	out := make([]*block.Model, 5)
	for k := range out {
		out[k] = shippedWeights().roles
		if dir := os.Getenv("EVENTSEER_FOLDS"); dir != "" {
			w, err := readWeights(os.DirFS(filepath.Join(dir, fmt.Sprint(k))))
			if err != nil {
				t.Fatal(err)
			}
			out[k] = w.roles
		}
	}
	return out
}
