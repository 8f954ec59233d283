package extract

import (
	"regexp"
	"strings"
	"unicode"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

const (
	maxPeople      = 500
	maxPersonBlock = 400 // bytes of a block read as one person
	maxPersonGap   = 4   // blocks without a person that end a committee
)

var roles = []struct {
	role    string
	pattern *regexp.Regexp
}{
	{"keynote", regexp.MustCompile(`(?i)keynote|invited (speaker|talk|lectur)|plenary|speakers|ponente`)},
	{"steering", regexp.MustCompile(`(?i)steering|advisory|\bboard\b|consejo`)},
	{"program_chair", regexp.MustCompile(`(?i)(program(me)?|technical|scientific|research|pc|tpc)( comm?itt?ee)?( co-?)?[- ]*(co-?chair|chair)|(co-?)?chairs? of the program`)},
	{"general_chair", regexp.MustCompile(`(?i)(general|conference|workshop|symposium|honorary)( co-?)?[- ]*(co-?chair|chair)`)},
	{"pc_member", regexp.MustCompile(`(?i)(program(me)?|scientific|technical|reviewing|review|international) (program(me)? )?comm?itt?ee|comit[ée] (cient[ií]fico|scientifique|de programa)|\bpc members?\b|comm?itt?ee members|programm?komitee|reviewers`)},
	{"organizer", regexp.MustCompile(`(?i)organi[sz](er|ing|ation)|comit[ée] organi|veranstalter|local (arrangements|comm?itt?ee|organi)|\bchairs?\b|organizador`)},
	{"other", regexp.MustCompile(`(?i)comm?itt?ee|\bchairmen\b|editors?`)},
}

// roleOf reads the role a heading or label gives to those named under it.
func roleOf(s string) string {
	if len(s) > maxPersonBlock/2 {
		return ""
	}
	for _, r := range roles {
		if r.pattern.MatchString(s) {
			return r.role
		}
	}
	return ""
}

// committee reads the people named under headings such as Program Committee.
// E-mail addresses are never kept.
func (p *page) committee() ([]eventseer.Person, eventseer.Provenance) {
	l := peopleList{seen: map[string]bool{}}
	for i := range p.blocks {
		if !p.menu[i] {
			p.peopleOf(&l, i)
		}
	}
	if len(l.people) == 0 {
		return nil, eventseer.Provenance{}
	}
	return l.people, p.source(l.block, 0, len(p.blocks[l.block].Text), "people-list")
}

// A peopleList is the committees read so far.
type peopleList struct {
	people []eventseer.Person
	block  int // of the first person
	seen   map[string]bool
	role   string // of those named now, "" for none
	gap    int    // blocks since the last person
}

func (l *peopleList) add(block int, role string, people ...eventseer.Person) {
	for _, person := range people {
		key := strings.ToLower(person.Name) + "\x00" + role
		if l.seen[key] || len(l.people) >= maxPeople {
			continue
		}
		if len(l.people) == 0 {
			l.block = block
		}
		l.seen[key] = true
		person.Role = role
		l.people = append(l.people, person)
	}
}

// peopleOf reads block i: a heading that gives a role, a line "role: people",
// or people of the role above.
func (p *page) peopleOf(l *peopleList, i int) {
	text := clip(p.blocks[i].Text, maxPersonBlock)
	label, rest, _ := strings.Cut(text, ":")
	labelled := roleOf(label) != "" && says(rest)
	if givesRole(p.blocks[i].Kind, text) {
		l.gap = 0
		if person, ok := personIn(text); ok && l.role != "" && roleOf(text) == "" {
			l.add(i, l.role, person)
			return
		}
		if labelled {
			l.add(i, roleOf(label), peopleIn(rest)...)
		}
		l.role = roleOf(text)
		return
	}
	if labelled && len(label) <= maxHeading {
		l.add(i, roleOf(label), peopleIn(rest)...)
		return
	}
	if l.role == "" {
		return
	}
	if people := peopleIn(text); len(people) > 0 && len(p.blocks[i].Text) <= maxPersonBlock {
		l.add(i, l.role, people...)
		l.gap = 0
	} else if l.gap++; l.gap > maxPersonGap {
		l.role = ""
	}
}

// givesRole reports whether a block stands above those it gives a role: every
// heading ends the list before it.
func givesRole(kind tagtree.Kind, text string) bool {
	return kind == tagtree.Heading || kind != tagtree.Item && len(text) <= maxHeading && !strings.Contains(text, ",") && roleOf(text) != ""
}

// peopleIn reads one person with an affiliation, or several separated by
// semicolons.
func peopleIn(s string) []eventseer.Person {
	var out []eventseer.Person
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ';' || r == '•' || r == '|' }) {
		if person, ok := personIn(part); ok {
			out = append(out, person)
		}
		if len(out) >= maxPeople {
			break
		}
	}
	return out
}

var (
	honorific = regexp.MustCompile(`^(?:(?:Prof|Professor Emerit\w+|Dr|Mr|Mrs|Ms|Professor|Doctor|Assoc|Assist|Asst|PD|Ing|Habil|Sir|Dipl)\.?[\s-]*(?:Dr\.?\s*)*(?:-?Ing\.?\s*)?)+`)
	email     = regexp.MustCompile(`\S+\s?(?:@|\(at\)|\[at\])\s?\S+`)
	notPerson = regexp.MustCompile(`(?i)\b(university|univers\p{L}*|institut\p{L}*|hochschule|stiftung|editions?|previous|past|awards?|format|formatting|abstracts?|events?|social|themes?|accepted|instructions?|challenges?|agenda|years?|virtual|library|options?|payments?|journals?|reviewing|model|related|papers|accommodation|travel|visa|policy|privacy|all|new|best|full|short|invited|technology|guidelines?|menu|toggle|skip|latest|recent|tel|fax|phone|address|street|city|college|school|department|committee|chairs?|conference|workshop|symposium|program|track|research|laborator\w+|lab|cent(er|re)|society|association|press|inc|ltd|paper|submission|deadline|call|important|dates|home|contact|about|registration|hotel|group|team|the|for|and|of|at|in|on|with|by|to|day|session|keynote|speakers?|members?|board|organi[sz]\w+|more|view|read|click|here|website|page|news|online|science|technology|engineering|computer|systems|data|learning|national|international|academy|corporation|usa|tbd|tba|general|local|publicity|publication|web|proceedings|finance|sponsor\w*|student|industry|demo|poster|tutorial|steering|advisory|technical|scientific|twitter|linkedin|facebook|github|google|springer|elsevier)\b`)
	particles = wordSet("van von de der den del della di da dos du la le el ten ter bin ibn al y e")
)

// personIn reads "Name", "Name, Affiliation", "Name (Affiliation)" or
// "Name - Affiliation".
func personIn(s string) (eventseer.Person, bool) {
	s = strings.TrimSpace(email.ReplaceAllString(s, ""))
	s = strings.TrimSpace(bullet.ReplaceAllString(s, ""))
	name, affiliation := s, ""
	if i := strings.IndexAny(s, ",(（，"); i > 0 {
		name, affiliation = s[:i], strings.Trim(s[i:], " ,()（），.")
	} else if i := dashed(s); i > 0 {
		name, affiliation = s[:i], strings.Trim(s[i:], " -–—:")
	}
	name = strings.Trim(name, " *.:†‡<>\"")
	if !personName(strings.TrimSpace(honorific.ReplaceAllString(name, ""))) {
		return eventseer.Person{}, false
	}
	return eventseer.Person{Name: name, Affiliation: clip(affiliation, maxPlaceBlock)}, true
}

func dashed(s string) int {
	for _, sep := range []string{" - ", " – ", " — ", ": "} {
		if i := strings.Index(s, sep); i > 0 {
			return i
		}
	}
	return -1
}

// personName reports whether s has the shape of a person's name: two to five
// capitalised words, small ones only as particles.
func personName(s string) bool {
	words := strings.Fields(s)
	if len(words) < 2 || len(words) > 5 || len(s) > 50 || strings.ContainsAny(s, "0123456789@/&?!|=") || notPerson.MatchString(s) {
		return false
	}
	full := 0
	for i, w := range words {
		rs := []rune(strings.TrimLeft(w, "'’\""))
		if len(rs) == 0 {
			return false
		}
		if i > 0 && particles[strings.ToLower(w)] {
			continue
		}
		if !unicode.IsUpper(rs[0]) {
			return false
		}
		if len(rs) > 2 {
			full++
		}
	}
	return full > 0
}
