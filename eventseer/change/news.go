package change

import (
	"regexp"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
)

// programRows is how many new lines with a time of day make a programme.
const programRows = 5

var hour = regexp.MustCompile(`\b\d{1,2}[:.h]\d\d\b`)

// program finds a programme or what says that there is one.
func (d *differ) program() {
	rows := 0
	for i, e := range d.edits {
		if e.new == "" || len(e.new) > maxNotice {
			continue
		}
		if hour.MatchString(e.new) && !hour.MatchString(e.old) {
			rows++
		}
		final := preliminaryWords.MatchString(e.old) && !preliminaryWords.MatchString(e.new)
		if !saysProgram(e.new) || saysProgram(e.old) && !final || d.dated(e) && !announces(e.new) || e.menu && e.old == "" && !d.linked[e.newBlock] && !announces(e.new) {
			continue
		}
		d.findOnce(i, eventseer.ProgramPosted, "")
	}
	if rows >= programRows && !d.has(eventseer.ProgramPosted) {
		d.find(eventseer.ProgramPosted, "", "", "")
	}
}

// saysProgram reports whether a text says that there is a programme.
func saysProgram(s string) bool {
	return programReady.MatchString(s) && !notProgram.MatchString(s) && !undecided.MatchString(s)
}

var preliminaryWords = word(`preliminary|tentative|draft|provisional|vorläufig|provisoire|preliminar|provvisorio`)

// maxNotice bounds a line that announces something, in bytes.
const maxNotice = 200

// news finds what is announced, new sections, and news that come or go.
func (d *differ) news() {
	if d.turned {
		d.find(eventseer.NewsItem, "", "", firstNew(d.edits))
		return
	}
	for i, e := range d.edits {
		if d.explained[i] || e.slight() || !d.isNews(e) {
			continue
		}
		d.findOnce(i, eventseer.NewsItem, "")
	}
}

// isNews reports whether an edit announces something or ends an announcement, stands among the
// news, or is the heading of a new section with news.
func (d *differ) isNews(e edit) bool {
	if d.amongNews(e) {
		return true
	}
	switch {
	case e.menu && (e.old == "" || e.new == ""):
		return false
	case e.newBlock >= 0 && d.dueAt[e.newBlock]:
		return false
	case e.new == "":
		return announces(e.old)
	case e.old == "" && sectionOfNews.MatchString(e.new) && d.c.New.Blocks()[e.newBlock].Kind == tagtree.Heading:
		return true
	}
	return announces(e.new) && !announces(e.old)
}

// amongNews reports whether an edit stands among the news.
func (d *differ) amongNews(e edit) bool {
	if e.newBlock >= 0 {
		return d.inNews[e.newBlock]
	}
	return d.inOldNews[e.oldBlock]
}

// newsBlocks reports of each block whether it stands among the news: under their heading,
// or under a lesser one that does.
func newsBlocks(t *tagtree.Tree, heads []string) []bool {
	in := make([]bool, len(heads))
	level := 0 // of the heading of the news, 0 outside
	under := false
	for i, b := range t.Blocks() {
		if b.Kind == tagtree.Heading && level > 0 && b.Level <= level {
			level = 0
		}
		if i == 0 || heads[i] != heads[i-1] {
			under = newsWords.MatchString(heads[i])
		}
		in[i] = level > 0 || under
		if b.Kind == tagtree.Heading && newsWords.MatchString(b.Text) {
			level = b.Level
		}
	}
	return in
}

// announces reports whether a line says that something is there now.
func announces(s string) bool {
	return len(s) <= maxNotice && newsNotice.MatchString(s) && !undecided.MatchString(s)
}

func firstNew(edits []edit) string {
	for _, e := range edits {
		if e.new != "" {
			return e.new
		}
	}
	return ""
}
