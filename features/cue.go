package features

import "strings"

// A phraseCue is a topic of pages of one kind, expressed by any of its phrases. A word that ends in *
// matches all words it begins. Words of other languages are translated by the glossary, so the same
// cues apply.
type phraseCue struct{ name, phrases string }

// cues are the counted cues, in the order of their features.
var cues = [...]phraseCue{
	{"call", `call for papers; calls for papers; call for paper; cfp; call for abstracts; call for contributions;
		call for submissions; call for posters; call for demos; call for demonstrations; call for proposals;
		call for workshops; call for workshop; call for tutorials; call for tutorial; call for presentations;
		call for talks; call for extended abstracts; call for participation; call for chapters; call for challenges;
		call for challenge; call for speakers; call for special sessions; call for late breaking; call for pitches`},
	{"call_to_attend", `call for participation; call for applications; call for attendance`},
	{"invitation", `we invite; are invited; is invited; invites; invited to; inviting; we solicit; solicit*; we welcome;
		are welcome; encouraged to; we encourage; are sought; seeking; seek*; we call for; you are invited; soliciting`},
	{"deadline", `deadline*; closing date; due date`},
	{"submission_due", `submission deadline*; submissions due; papers due; abstracts due; paper due; abstract due; paper submission*;
		abstract submission*; papers submission; deadline for; submission due; submission of; manuscript due; proposals due;
		manuscripts due; full paper; full papers`},
	{"extended", `extended to; deadline extended; extended deadline*; deadline extension; extended until; new deadline; extension`},
	{"important_dates", `important dates; key dates; important date; important deadlines; dates and deadlines; relevant dates`},
	{"notification", `notification*; notified; acceptance notice; author notification`},
	{"camera_ready", `camera ready; final version*; final paper*; final manuscript*; camera copy`},
	{"topics", `topics of interest; topics include; not limited to; following topics; following areas; areas of interest;
		topics for; relevant topics; topics are; topic areas; suggested topics; include but; themes; topics; scope`},
	{"submit", `submit*`},
	{"submission", `submission*`},
	{"how_to_submit", `submitted via; submitted through; submitted electronically; submit via; submit your; submit a; submit an;
		be sent; send your; be submitted; submit to; submission site; submission system; submission page; submission website;
		submitted to; emailed to; submit their; electronic submission*; submission link; submitted in; submitted using;
		submissions via; send a; by email; submit through; sent to; e mail to`},
	{"review_system", `easychair; openreview; hotcrp; cmt; softconf; edas; precisionconference; conftool; linklings;
		manuscriptcentral; pretalx; papercall; oxfordabstracts; indico; google form`},
	{"format", `lncs; latex; template*; double column; two column; pdf format; formatted; style file*; page limit; pages in;
		pages long; to pages; maximum of; font; pages including; excluding references; word limit; exceed; page format`},
	{"review", `double blind; single blind; anonymi*; peer review; peer reviewed; reviewed by; be reviewed; refereed; reviewers`},
	{"original", `original; unpublished; not been published; under review; concurrently; simultaneously; previously published; novel`},
	{"proceedings", `proceedings; lecture notes; springer; digital library; ieee xplore; post proceedings`},
	{"journal", `special issue*; guest editor*; journal*; editor in chief`},
	{"program_committee", `program committee; programme committee; organizing committee; organising committee; steering committee;
		technical program; scientific committee; organization committee; technical committee`},
	{"committee", `committee*`},
	{"chair", `chair*; co chair*; organizers; organisers; organizer`},
	{"author_kit", `submission guideline*; submission instructions; author guidelines; instructions for; information for authors;
		author instructions; submission requirements; paper format; author kit; authors kit; author guide; camera ready instructions;
		formatting instructions; copyright form; copyright; guidelines; instructions; presenters`},
	{"will_be_held", `will be held; will take place; to be held; takes place; is held; will be organized; will be hosted`},
	{"was_held", `was held; took place; were held; has been held; thank you; thanks to; photos; slides; were presented; was a`},
	{"accepted", `accepted papers; list of accepted; acceptance rate; papers accepted; accepted workshops; accepted posters;
		accepted submissions; accepted tutorials; accepted`},
	{"registration", `registration*; register*; fee; fees; early bird`},
	{"program", `program; programme; schedule*; session*; agenda; timetable; coffee break; lunch; break; chaired by`},
	{"keynote", `keynote*; invited speaker*; invited talk*; speakers; speaker; plenary`},
	{"venue", `hotel*; accommodation*; venue*; travel*; airport; visa; directions; getting there; local`},
	{"sponsor", `sponsor*; supported by; partners; exhibitor*`},
	{"award", `award*; prize*; winner*; best paper; gallery; photo`},
	{"to_come", `tba; tbd; coming soon; to be announced; will be announced; stay tuned; will be posted; will be available; be updated;
		more information soon; under construction; available soon`},
	{"workshop", `workshop*; tutorial*`},
	{"conference", `conference*; symposium*; symposia; congress*; meeting*`},
	{"track", `demo; demos; poster*; doctoral; challenge*; competition*; contest*; track*; hackathon; special session*; late breaking`},
	{"edition", `past; previous; history; archive*; editions; edition; series; former; past editions; past conferences; earlier`},
	{"upcoming", `upcoming; calendar*; events; conferences; workshops; meetings; forthcoming; deadlines; list of`},
	{"posted", `posted by; posted on; posted in; leave a reply; leave a comment; permalink; filed under; trackback; comments;
		comment; reply; share this; tweet; pingback; kommentare; comentarios`},
	{"blog", `blog*; weblog; archives; categories; tags; tag; category; recent posts; older posts; newer posts; read more;
		continue reading; subscribe; rss; feed; wordpress; next post; previous post; posts; post; author`},
	{"i", `i; i'm; my; me; i've; i'd; myself`},
	{"we", `we; our; us; ours`},
	{"she_or_he", `he; his; she; her; him`},
	{"about_me", `research interests; my research; i am; i'm a; about me; curriculum vitae; resume; cv; home page; homepage;
		my name; personal; vita; hobbies; biography; bio; favorite; webpage`},
	{"academic", `ph d; phd; advisor; graduate student*; assistant professor; associate professor; professor*; postdoc*; student*;
		b s; m s; msc; bsc; thesis; supervisor; doctorate`},
	{"contact", `office; phone; fax; room; tel; telephone; e mail; email; mail; address; postal`},
	{"publications", `publications; in proceedings; to appear; technical report*; et al; pp; vol; in proc; bibliography; publication;
		preprint; doi; arxiv; published`},
	{"institution", `department*; faculty; institute*; laboratory; laboratories; school; college; university; lab; labs; center;
		centre; society; association; group; universit*; campus; foundation`},
	{"project", `project*; research; members; people; team; staff; collaborators; alumni; funded; participants; investigator*; goal;
		goals; overview`},
	{"course", `homework*; assignment*; lecture*; syllabus; midterm; exam*; textbook*; office hours; instructor*; course*; class;
		semester; grading; cs; ta; quiz*; handout*`},
	{"job", `position*; vacanc*; salary; applicants; candidate*; fellowship*; apply; job*; employment; cover letter; application*;
		hiring; recruit*; qualifications; career*; phd position; postdoctoral; scholarship*; openings; full time; successful`},
	{"news", `news; press; article; articles; updated; said; according; yesterday; today; reporter; editor; politic*`},
	{"mail_header", `subject; from; sent; date; to; message id; reply to; cc; original message; wrote; writes; mailing list`},
	{"mailing_list", `unsubscribe; mailing list; mailman; listinfo; digest; subscribers; list info; dbworld; lists; archive at`},
	{"software", `download*; install*; version; source code; github; license*; documentation; api; software; release*; code; bug*;
		users; tool; tools; windows; linux`},
	{"shop", `cart; price*; buy; shipping; cookies; cookie; privacy policy; terms of; products; product; order; customers; sale; store;
		shop; copyright; login; sign in; sign up; account; impressum`},
	{"links", `links; resources; related; other sites; pages; index; bibliographies; faq; resource; useful`},
	{"hobby", `recipe*; music; film; movie*; game*; team; love; family; food; health; photo*; book; books; travel; art; sport*; life`},
	{"series", `special session*; co located; in conjunction; conjunction with; colocated; satellite; affiliated; sister; track`},
	{"ordinal", `first; second; third; fourth; fifth; sixth; seventh; eighth; ninth; tenth; st; nd; rd; th; annual; international`},
	{"abstract", `abstract*; extended abstract*; proposal*; manuscript*; contributions; contribution`},
	{"paper", `paper*; full paper*; short paper*; long paper*; regular paper*; position paper*`},
	{"publish", `will be published; be published; published in; will appear; selected papers; best papers; indexed; scopus`},
	{"notebook", `notes; log; entry; diary; journal; notebook; reading; todo; thoughts; meeting notes; today i`},
}

// cueIndex finds the cues by their last word.
type cueIndex struct {
	words    map[string][]cueEnding
	prefixes []prefixEnding
}

// A cueEnding is the last word of a phrase of a cue; before holds the preceding words, nearest first.
type cueEnding struct {
	cue    uint8
	before []string
}

type prefixEnding struct {
	prefix string
	cueEnding
}

var cueEndings = indexCues()

// maxPhrase is the number of words of the longest phrase.
const maxPhrase = 4

func indexCues() cueIndex {
	x := cueIndex{words: make(map[string][]cueEnding)}
	for i, c := range cues {
		for phrase := range strings.SplitSeq(c.phrases, ";") {
			words := strings.Fields(phrase)
			last := words[len(words)-1]
			e := cueEnding{cue: uint8(i)}
			for j := len(words) - 2; j >= 0; j-- {
				e.before = append(e.before, words[j])
			}
			if prefix, ok := strings.CutSuffix(last, "*"); ok {
				x.prefixes = append(x.prefixes, prefixEnding{prefix, e})
			} else {
				x.words[last] = append(x.words[last], e)
			}
		}
	}
	return x
}

// endingsOf returns the endings of an English word.
func (x cueIndex) endingsOf(word string) []cueEnding {
	endings := x.words[word]
	endings = endings[:len(endings):len(endings)]
	for _, p := range x.prefixes {
		if strings.HasPrefix(word, p.prefix) {
			endings = append(endings, p.cueEnding)
		}
	}
	return endings
}

// A cueCounter finds the cues in a run of words. The zero value is ready to use.
type cueCounter struct {
	recent [maxPhrase]*word // the last words, word i of all in recent[i%maxPhrase]
	words  uint             // number of words
	found  []uint8          // the cues of the current run
}

// beginRun begins another run of words.
func (c *cueCounter) beginRun() {
	c.recent = [maxPhrase]*word{}
	c.found = c.found[:0]
}

// addWord processes the next word of the run.
func (c *cueCounter) addWord(w *word) {
	c.recent[c.words%maxPhrase] = w
	c.words++
	if w.roles == nil {
		return
	}
	for _, e := range w.roles.endings {
		if c.isPreceded(e.before) && len(c.found) < maxFound {
			c.found = append(c.found, e.cue)
		}
	}
}

// maxFound bounds the cues found in one run.
const maxFound = 10_000

// isPreceded reports whether the words before the last one equal the list before.
func (c *cueCounter) isPreceded(before []string) bool {
	for i, s := range before {
		if w := c.recent[(c.words-uint(i)-2)%maxPhrase]; w == nil || w.text != s {
			return false
		}
	}
	return true
}
