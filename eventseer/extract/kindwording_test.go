package extract

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// A wordingSet is what one language calls the dates of a call, and how it writes days.
type wordingSet struct {
	lang, monday string
	months, days []string
	kinds        map[string][]string
}

// wordingKinds are the steps of the calls of TestKindWordings in the order of their days, all
// Mondays. Each has the kind it is read as: "" for no deadline.
var wordingKinds = []struct {
	name string
	on   string
	kind eventseer.DeadlineKind
	main bool
}{
	{"opens", "2027-04-05", "", false},
	{"workshop", "2027-04-12", eventseer.WorkshopProposal, false},
	{"tutorial", "2027-04-19", eventseer.TutorialProposal, false},
	{"abstract", "2027-05-03", eventseer.Abstract, true},
	{"paper", "2027-05-17", eventseer.Submission, true},
	{"poster", "2027-05-24", eventseer.Poster, false},
	{"demo", "2027-05-31", eventseer.Demo, false},
	{"doctoral", "2027-06-07", eventseer.Doctoral, false},
	{"review", "2027-06-07", "", false},
	{"told", "2027-06-14", eventseer.Notification, true},
	{"final", "2027-07-05", eventseer.CameraReady, true},
	{"register", "2027-07-19", eventseer.Registration, true},
	{"programme", "2027-07-26", "", false},
	{"event", "2027-08-09", "", true},
}

func readWordings(t *testing.T) []wordingSet {
	text, err := os.ReadFile("testdata/datewords.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []wordingSet
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			out = append(out, wordingSet{lang: strings.Trim(line, "[]"), kinds: map[string][]string{}})
			continue
		}
		name, value, ok := strings.Cut(line, " = ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		w := &out[len(out)-1]
		switch name {
		case "months":
			w.months = strings.Fields(value)
		case "monday":
			w.monday = value
		case "days":
			w.days = strings.Split(value, " | ")
		default:
			w.kinds[name] = strings.Split(value, " | ")
		}
	}
	return out
}

// write prints a day by a form of w.
func (w wordingSet) write(form, day string) string {
	on, _ := time.Parse(time.DateOnly, day)
	d, m, y := on.Day(), int(on.Month()), on.Year()
	digits := func(n int, zero rune) string {
		return strings.Map(func(r rune) rune { return zero + r - '0' }, strconv.Itoa(n))
	}
	return strings.NewReplacer(
		"{d}", strconv.Itoa(d), "{dd}", fmt.Sprintf("%02d", d), "{m}", strconv.Itoa(m), "{mm}", fmt.Sprintf("%02d", m),
		"{B}", w.months[m-4], "{A}", w.monday, "{Y}", strconv.Itoa(y), "{R}", strconv.Itoa(y-1911), "{W}", strconv.Itoa(y-2018), "{T}", strconv.Itoa(y+543),
		"{ad}", digits(d, '٠'), "{aY}", digits(y, '٠'), "{fd}", digits(d, '۰'), "{fY}", digits(y, '۰'),
	).Replace(form)
}

// moreLayouts are further layouts, as callLayouts: what stands behind ¦ is repeated for
// all dates once more, in a row of its own.
var moreLayouts = [][3]string{
	{"<table><tr>", "<th>L</th>¦<td>D</td>", "</tr></table>"},
	{"<table><tr><th>#</th><th>%</th></tr>", "<tr><td>L</td><td>D</td></tr>", "</table>"},
	{"<table><tr><th>%</th><th>#</th></tr>", "<tr><td>D</td><td>L</td></tr>", "</table>"},
	{"<div class=timeline>", "<div class=item><div class=dot></div><div class=when>D</div><div class=what><p>L</p></div></div>", "</div>"},
	{"<div class=timeline>", "<div class=item><div class=what><h3>L</h3></div><div class=when><span>D</span></div></div>", "</div>"},
	{"", "<p><strong>D</strong><br>L</p>", ""},
	{"", "<p><strong>L:</strong><br>D</p>", ""},
	{"", "<h3>L</h3><p>D</p>", ""},
	{"<ol>", "<li><p><strong>L</strong></p><p>D</p></li>", "</ol>"},
	{"<ul><li>Track A<ul>", "<li>L: D</li>", "</ul></li></ul>"},
	{"<ul>", "<li>L (D)</li>", "</ul>"},
	{"<ul>", "<li>L | D</li>", "</ul>"},
	{"<ul>", "<li>L, D</li>", "</ul>"},
	{"<p>", "• L: D<br>", "</p>"},
	{"<p>", "D ... L<br>", "</p>"},
	{"<div>", "L: D; ", "</div>"},
	{"<dl>", "<div><dt>L</dt><dd><time>D</time></dd></div>", "</dl>"},
	{"<section>", "<article><span class=date>D</span><span class=label>L</span></article>", "</section>"},
	{"<table>", "<tr><td><b>L:</b></td><td></td><td>D</td></tr>", "</table>"},
	{"<table>", "<tr><td>L: D</td></tr>", "</table>"},
	{"<ul>", "<li><strong>D</strong><span>L</span></li>", "</ul>"},
}

// fill writes a list of dates in a layout.
func fillLayout(l [3]string, labels, days []string) string {
	var b strings.Builder
	b.WriteString(l[0])
	for n, item := range strings.Split(l[1], "¦") {
		if n > 0 {
			b.WriteString("</tr><tr>")
		}
		for i := range labels {
			b.WriteString(strings.NewReplacer("L", labels[i], "D", days[i]).Replace(item))
		}
	}
	return strings.NewReplacer("#", "Step", "%", "Date").Replace(b.String() + l[2])
}

// An agreement counts the dates that a reading has in common with the printed list.
type agreement struct{ right, missed, wrong int }

func (c agreement) f1() float64 {
	return 2 * float64(c.right) / float64(max(1, 2*c.right+c.missed+c.wrong))
}

// TestKindWordings reads lists of dates in every layout with the wordings of
// testdata/datewords.txt, which no rule was written for: most must be right.
func TestKindWordings(t *testing.T) {
	const atLeast = 0.98 // of F1 over all dates
	by := map[string]*agreement{}
	missed := map[string]int{}
	count := func(name string, f func(*agreement)) {
		if by[name] == nil {
			by[name] = &agreement{}
		}
		f(by[name])
	}
	x := newTestExtractor()
	pages := 0
	for n, w := range readWordings(t) {
		for m, l := range slices.Concat(callLayouts, moreLayouts) {
			pages++
			form := w.days[(m+n)%len(w.days)]
			var labels, days []string
			want := map[string]string{} // date → step
			for k, step := range wordingKinds {
				words := w.kinds[step.name]
				if len(words) == 0 || !step.main && (k+m)%3 != 0 {
					continue
				}
				day := w.write(form, step.on)
				if step.name == "event" {
					day += " – " + w.write(form, "2027-08-16")
				}
				labels, days = append(labels, words[(m+m/len(w.days)+n)%len(words)]), append(days, day)
				if step.kind != "" {
					want[string(step.kind)+" "+step.on] = step.name + ": " + labels[len(labels)-1]
				}
			}
			body := "<html lang=" + w.lang + "><h1>KITES 2027</h1><h2>Call for Papers</h2>" + fillLayout(l, labels, days)
			e, _ := x.Extract(parse(t, "p.html", body))
			names := []string{"all", "language " + w.lang, "layout " + l[1], "days " + w.lang + " " + form}
			for _, d := range e.Deadlines {
				if d.Kind == eventseer.OtherDeadline {
					continue
				}
				at := string(d.Kind) + " " + string(d.Date)
				step, ok := want[at]
				delete(want, at)
				for _, name := range names {
					count(name, func(c *agreement) { c.right += oneIf(ok); c.wrong += oneIf(!ok) })
				}
				kind, _, _ := strings.Cut(step, ":")
				count("kind "+cmpOr(kind, string(d.Kind)), func(c *agreement) { c.right += oneIf(ok); c.wrong += oneIf(!ok) })
			}
			for at, step := range want {
				missed[w.lang+" "+step+" ("+string(labelKind(step[strings.Index(step, ":")+2:]))+")"]++
				kind, _, _ := strings.Cut(step, ":")
				for _, name := range append(names, "kind "+kind) {
					count(name, func(c *agreement) { c.missed++ })
				}
				_ = at
			}
			count("event", func(c *agreement) {
				ok := e.EventStart == "2027-08-09" && e.EventEnd == "2027-08-16"
				c.right += oneIf(ok)
				c.missed += oneIf(!ok)
				if !ok {
					missed[w.lang+" event: "+labels[len(labels)-1]+" "+string(e.EventStart)]++
				}
			})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		t.Logf("%.3f %s: %+v", by[name].f1(), name, *by[name])
	}
	for _, name := range slices.Sorted(maps.Keys(missed)) {
		if testing.Verbose() {
			t.Logf("missed %d: %s", missed[name], name)
		}
	}
	if f := by["all"].f1(); f < atLeast {
		t.Errorf("F1 %.3f over %d pages, want %.2f", f, pages, atLeast)
	}
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func oneIf(is bool) int {
	if is {
		return 1
	}
	return 0
}
