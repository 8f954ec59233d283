package eventseer

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/internal/text"
)

// A CallKind is the kind of work that a call asks for. MainCall is the kind of the main track's
// papers. Calls of different kinds have different dates.
type CallKind string

// Kinds of calls.
const (
	MainCall      CallKind = ""
	DemoCall      CallKind = "demos"
	PosterCall    CallKind = "posters"
	TutorialCall  CallKind = "tutorials"
	WorkshopCall  CallKind = "workshops"
	SessionCall   CallKind = "special sessions"
	DoctoralCall  CallKind = "doctoral"
	IndustryCall  CallKind = "industry"
	ArtifactCall  CallKind = "artifacts"
	LateCall      CallKind = "late-breaking"
	ChallengeCall CallKind = "challenges"
	PanelCall     CallKind = "panels"
	StudentCall   CallKind = "students"
	ReportCall    CallKind = "registered reports"
	JournalCall   CallKind = "journal"
)

// callWords match names of kinds of calls in a track or the name of a page. The first match counts:
// "Tool demo track" is a demo track. A name that contains none of the stems, in lower case, never
// matches; this check avoids most of the slower expressions.
var callWords = []callWord{
	{DoctoralCall, []string{"doctoral", "phd", "ph.d", "dissertation", "doktorand"}, regexp.MustCompile(`(?i)\b(doctoral|phd|ph\.d|dissertations?|doktorand\w*)`)},
	{ArtifactCall, []string{"artifact", "artefact"}, regexp.MustCompile(`(?i)\bartifacts?\b|\bartefacts?\b`)},
	{ReportCall, []string{"registered"}, regexp.MustCompile(`(?i)\bregistered ?reports?`)},
	{LateCall, []string{"breaking", "lbw", "lbr", "hot", "progress", "wip"}, regexp.MustCompile(`(?i)\b(late[- ]?breaking|lbw|lbr|hot ?topics?|work[- ]in[- ]progress|wip)\b`)},
	{DemoCall, []string{"demo"}, regexp.MustCompile(`(?i)\b(demos?|demonstrations?|demonstrators?)\b`)},
	{PosterCall, []string{"poster"}, regexp.MustCompile(`(?i)\bposters?\b`)},
	{TutorialCall, []string{"tutorial"}, regexp.MustCompile(`(?i)\btutorials?\b`)},
	{WorkshopCall, []string{"workshop"}, regexp.MustCompile(`(?i)\bworkshops\b|\bworkshop ?proposals?\b`)},
	{SessionCall, []string{"special", "invited", "organi", "minisymposi", "proposal"}, regexp.MustCompile(`(?i)\b(special|invited|organi[sz]ed) ?(sessions?|tracks?)\b|\bminisymposi(a|um)\b|\b(track|session|symposium) proposals?\b`)},
	{IndustryCall, []string{"industr", "applied", "application", "practitioner"}, regexp.MustCompile(`(?i)\b(industry|industrial|applied|application|practitioners?)( (papers?|track))?$`)},
	{ChallengeCall, []string{"challenge", "competition", "contest", "hackathon"}, regexp.MustCompile(`(?i)\b(challenges?|competitions?|contests?|hackathons?)\b`)},
	{PanelCall, []string{"panel"}, regexp.MustCompile(`(?i)\bpanels?\b`)},
	{StudentCall, []string{"student"}, regexp.MustCompile(`(?i)\bstudents?\b`)},
	{JournalCall, []string{"journal", "issue"}, regexp.MustCompile(`(?i)\bjournals?\b|\bspecial ?(journal ?)?issue\b`)},
}

type callWord struct {
	kind  CallKind
	stems []string
	words *regexp.Regexp
}

// namesCall reports whether a name in lower case contains one of the stems.
func namesCall(name string, stems []string) bool {
	return slices.ContainsFunc(stems, func(s string) bool { return strings.Contains(name, s) })
}

// CallKindOf returns the kind of call that a track or a heading names, or MainCall.
func CallKindOf(name string) CallKind {
	lower := strings.ToLower(name)
	for _, c := range callWords {
		if namesCall(lower, c.stems) && c.words.MatchString(name) {
			return c.kind
		}
	}
	return MainCall
}

// camelCase matches the borders of words in a name without spaces, such as "ToolDemoTrack".
var camelCase = regexp.MustCompile(`([a-z])([A-Z])`)

// yearInName matches the year of an edition in the name of a page.
var yearInName = regexp.MustCompile(`(19|20)\d\d|[a-z]'?\d\d$`)

// noCall matches the name of a page about accepted papers, the programme or travel.
var noCall = regexp.MustCompile(`(?i)accepted|program|schedul|regist|travel|venue|camera|committee|proceeding|award|list`)

// PageCallKind returns the kind of call that the last part of a page's URL names. For
// "https://icx.example/2027/call-for-demos.html" it is DemoCall. Folders are ignored because they name the
// event.
func PageCallKind(url string) CallKind {
	url, _, _ = strings.Cut(url, "?")
	url, _, _ = strings.Cut(url, "#")
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return MainCall
	}
	_, name, ok := strings.Cut(strings.TrimRight(rest, "/"), "/")
	if !ok {
		return MainCall
	}
	name = path.Base(name)
	name = strings.TrimSuffix(name, path.Ext(name))
	if lower := strings.ToLower(name); !slices.ContainsFunc(callWords, func(c callWord) bool { return namesCall(lower, c.stems) }) {
		return MainCall
	}
	if yearInName.MatchString(name) {
		return MainCall // the folder of an event, such as "student-forum-2027"
	}
	if noCall.MatchString(name) {
		return MainCall
	}
	name = camelCase.ReplaceAllString(name, "$1 $2")
	return CallKindOf(strings.NewReplacer("-", " ", "_", " ", "%20", " ", "+", " ").Replace(name))
}

// Call returns the kind of call that a deadline belongs to. It is derived from the deadline's kind,
// its track, or else the address of its page.
func (d Deadline) Call() CallKind {
	switch d.Kind {
	case Poster:
		return PosterCall
	case Demo:
		return DemoCall
	case TutorialProposal:
		return TutorialCall
	case WorkshopProposal:
		return WorkshopCall
	case Doctoral:
		return DoctoralCall
	}
	if d.Track != "" {
		return CallKindOf(d.Track)
	}
	return PageCallKind(d.Source.URL)
}

// deadlineKinds has the kind of submission deadline of each kind of call, if it has one of its own.
var deadlineKinds = map[CallKind]DeadlineKind{
	PosterCall: Poster, DemoCall: Demo, TutorialCall: TutorialProposal, WorkshopCall: WorkshopProposal, DoctoralCall: Doctoral,
}

// SubmissionKind returns the kind of submission deadline of this kind of call. It is "" if the kind of call has no
// kind of deadline of its own.
func (c CallKind) SubmissionKind() DeadlineKind { return deadlineKinds[c] }

// callFor matches "call for" and the following words in a heading.
var callFor = regexp.MustCompile(`(?i)\bcalls? for\s+([^.:;!?|()\[\]]{1,60})`)

// withPapers matches a heading that calls for papers in addition to other work.
var withPapers = regexp.MustCompile(`(?i)(,|&|\band)\s+(\w+ ){0,2}(papers?|contributions?)\b`)

// HeadingCallKind returns the kind of call that a page's heading or a message's subject announces.
// "ICX 2027: call for tool demos" gives DemoCall. A heading that also calls for papers gives
// MainCall.
func HeadingCallKind(heading string) CallKind {
	m := callFor.FindStringSubmatch(text.CutBytes(heading, maxNameRead))
	if m == nil || withPapers.MatchString(m[1]) {
		return MainCall
	}
	words := strings.Fields(m[1])
	for n := range min(len(words), maxCallWords) {
		if kind := CallKindOf(strings.Join(words[:n+1], " ")); kind != MainCall && kind != JournalCall {
			return kind
		}
		if paperWord.MatchString(words[n]) {
			return MainCall // the main call of the event named after these words
		}
	}
	return MainCall
}

// besideCall matches a heading with "Call for …" and the name of the call before it, "Ph.D. Symposium: Call
// for Papers", or after it, "Call for Papers: Demo Track".
var besideCall = regexp.MustCompile(`(?i)^(?:([^:]{2,60}?)\s*[:–-]\s*)?calls? for\s+([\w ]{3,40}?)\s*(?:[:–-]\s*([^:]{2,60}))?$`)

// NamedCallKind is like HeadingCallKind but also finds the name of a call next to "Call for Papers". Papers
// of workshops and tutorials are not proposals, so for them it returns MainCall.
func NamedCallKind(heading string) CallKind {
	if kind := HeadingCallKind(heading); kind != MainCall {
		return kind
	}
	m := besideCall.FindStringSubmatch(strings.Trim(text.CutBytes(heading, maxNameRead), " *=_#.:-–"))
	if m == nil {
		return MainCall
	}
	for _, name := range []string{m[3], m[1]} {
		kind := CallKindOf(name)
		proposed := kind == WorkshopCall || kind == TutorialCall
		if kind != MainCall && kind != JournalCall && kind != IndustryCall && !(proposed && paperWord.MatchString(m[2])) && len(strings.Fields(name)) <= maxBesideCall {
			return kind
		}
	}
	return MainCall
}

// maxBesideCall is the maximum length of the name of a call next to "Call for Papers", in words.
const maxBesideCall = 6

// paperWords matches texts of deadlines for papers. On a page that calls for proposals of sessions, these are
// papers in the sessions.
var paperWords = regexp.MustCompile(`(?i)\b(papers?|abstracts?)\b`)

// maxCallWords is the number of words after "call for" that may name its kind.
const maxCallWords = 4

// paperWord matches words for submissions to a main call.
var paperWord = regexp.MustCompile(`(?i)^(papers?|contributions?|participation|submissions?|abstracts?|chapters?)\b`)

// OfCalls returns a record read from one page with its calls distinguished. A deadline without a
// track is assigned to a call by the page's address, otherwise by its heading, which may be "".
// Calls are those that the page announces. Deadlines on a page of another call get the kind of that
// call, not that of the main track. An extension to an earlier date or the same is removed. OfCalls
// is pure.
func OfCalls(e Event, heading string) Event {
	call := MainCall
	if !IsRelated(e) {
		if call = e.callKind(PageCallKind(e.URL)); call == MainCall {
			call = HeadingCallKind(heading)
		}
		if len(e.Calls) == 0 && e.URL != "" {
			e.Calls = []Call{e.pageCall(e.URL, call)}
		}
	}
	if len(e.Deadlines) == 0 {
		return e
	}
	e.Deadlines = slices.Clone(e.Deadlines)
	for i := range e.Deadlines {
		d := &e.Deadlines[i]
		if d.ExtendedFrom >= d.Date {
			d.ExtendedFrom = ""
		}
		if own := d.Call(); d.Track != "" || call == MainCall || own != MainCall && own != call || call == SessionCall && paperWords.MatchString(d.Text) {
			continue
		}
		if kind := deadlineKinds[call]; d.Kind == Submission && kind != "" {
			d.Kind = kind
			continue
		}
		if deadlineKinds[call] != d.Kind {
			d.Track = string(call)
		}
	}
	return e
}
