package change

import (
	"regexp"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
)

// programRows is the number of new lines with a time of day that make a programme.
const programRows = 5

var hour = regexp.MustCompile(`\b\d{1,2}[:.h]\d\d\b`)

// findProgram finds a new programme or an announcement of one.
func (d *differ) findProgram() {
	rows := 0
	for i, e := range d.edits {
		if e.new == "" || len(e.new) > maxNotice {
			continue
		}
		if hour.MatchString(e.new) && !hour.MatchString(e.old) {
			rows++
		}
		final := preliminaryWords.MatchString(e.old) && !preliminaryWords.MatchString(e.new)
		if !announcesProgram(e.new) || announcesProgram(e.old) && !final || d.isDated(e) && !announcesAvailability(e.new) || e.menu && e.old == "" && !d.linked[e.newBlock] && !announcesAvailability(e.new) {
			continue
		}
		d.addChangeOnce(i, eventseer.ProgramPosted, "")
	}
	if rows >= programRows && !d.hasKind(eventseer.ProgramPosted) {
		d.addChange(eventseer.ProgramPosted, "", "", "")
	}
}

// announcesProgram reports whether a text announces a programme.
func announcesProgram(s string) bool {
	return programReady.MatchString(s) && !notProgram.MatchString(s) && !undecided.MatchString(s)
}

var preliminaryWords = wordPattern(`preliminary|tentative|draft|provisional|vorläufig|provisoire|preliminar|provvisorio`)

// maxNotice bounds an announcement, in bytes.
const maxNotice = 200

// findNews finds announcements, new sections, and added or removed news.
func (d *differ) findNews() {
	if d.turned {
		d.addChange(eventseer.NewsItem, "", "", firstNewText(d.edits))
		return
	}
	for i, e := range d.edits {
		if d.explained[i] || e.isSpellingOnly() || !d.isNews(e) {
			continue
		}
		d.addChangeOnce(i, eventseer.NewsItem, "")
	}
}

// isNews reports whether an edit adds or removes an announcement, is in a section of news, or is
// the heading of a new one.
func (d *differ) isNews(e edit) bool {
	if d.isInNewsSection(e) {
		return true
	}
	switch {
	case e.menu && (e.old == "" || e.new == ""):
		return false
	case e.newBlock >= 0 && d.dueAt[e.newBlock]:
		return false
	case e.new == "":
		return announcesAvailability(e.old)
	case e.old == "" && sectionOfNews.MatchString(e.new) && d.c.New.Blocks()[e.newBlock].Kind == tagtree.Heading:
		return true
	}
	return announcesAvailability(e.new) && !announcesAvailability(e.old)
}

// isInNewsSection reports whether an edit is in a section of news.
func (d *differ) isInNewsSection(e edit) bool {
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

// announcesAvailability reports whether a line announces that something is available.
func announcesAvailability(s string) bool {
	return len(s) <= maxNotice && newsNotice.MatchString(s) && !undecided.MatchString(s)
}

func firstNewText(edits []edit) string {
	for _, e := range edits {
		if e.new != "" {
			return e.new
		}
	}
	return ""
}
