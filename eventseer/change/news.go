package change

import (
	"regexp"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
)

// programRows is the number of new lines with a time of day that make a programme.
const programRows = 5

var hour = regexp.MustCompile(`\b\d{1,2}[:.h]\d\d\b`)

// program finds a new programme or an announcement of one.
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

// saysProgram reports whether a text announces a programme.
func saysProgram(s string) bool {
	return programReady.MatchString(s) && !notProgram.MatchString(s) && !undecided.MatchString(s)
}

var preliminaryWords = word(`preliminary|tentative|draft|provisional|vorläufig|provisoire|preliminar|provvisorio`)

// maxNotice bounds an announcement, in bytes.
const maxNotice = 200

// news finds announcements, new sections, and added or removed news.
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

// isNews reports whether an edit adds or removes an announcement, is in a section of news, or is
// the heading of a new one.
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

// amongNews reports whether an edit is in a section of news.
func (d *differ) amongNews(e edit) bool {
	if e.newBlock >= 0 {
		return d.inNews[e.newBlock]
	}
	return d.inOldNews[e.oldBlock]
}

// newsBlocks returns for each block whether it is in a section of news, or in a subsection of one.
func newsBlocks(t *tagtree.Tree, heads []string) []bool {
	in := make([]bool, len(heads))
	level := 0 // level of the heading of the news, 0 outside
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

// announces reports whether a line announces that something is available.
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
