package extract

import (
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer/extract/pattern"
)

// roles are patterns of the roles of people. The first one that matches counts.
var roles = []struct {
	role    string
	pattern *pattern.Pattern
}{
	{"keynote", compilePattern(`(?i)keynote|invited (speaker|talk|lectur|guest|present)|plenary|\bspeakers?\b|ponentes?\b|conf[ée]renciers?|conferencistas?|palestrantes?|relatori|ponencias? magistral|hauptvortr|eingeladene|主旨|特邀|邀请报告|專題演講|招待講演|基調講演|초청|приглашенные`)},
	{"steering", compilePattern(`(?i)steering|advisory|\bboard\b|consejo|pilotage|comitato direttivo|beirat|指导委员会|顾问`)},
	{"program_chair", compilePattern(`(?i)(program(me)?|technical|scientific|research|pc|tpc)( comm?itt?ee)?( co-?)?[- ]*(vice-?|co-?)*(chair|co-?chair|leader|head)|(co-?)?chairs? of the program|presidente?s? del comit[éeê] (cient|de programa)|程序委员会主席|プログラム委員長`)},
	{"general_chair", compilePattern(`(?i)(general|conference|workshop|symposium|honorary|congress|summit)( co-?)?[- ]*(vice-?)?(co-?chair|chair)|tagungsleitung|大会主席|大会委員長`)},
	{"pc_member", compilePattern(`(?i)(program(me)?|scientific|technical|reviewing|review|international|academic|research) (program(me)? |technical |scientific )?comm?itt?ees?|comit[éeê] (cient[ií]fico|scientifique|de (programa|programme|lecture))|comiss[ãa]o cient|comitato scientifico|\bt?pc members?\b|comm?itt?ees? members|members of the (program|pc)|programm?komm?itee|wissenschaftliches komitee|\breviewers\b|^\W*t?pc\W*$|程序委员|程式委員|学术委员|學術委員|プログラム委員|프로그램 ?위원|программн`)},
	{"organizer", compilePattern(`(?i)organi[sz](er|ing|ation)|comit[éeê] (d['’])?organi|comiss[ãa]o organi|comitato organi|organizza|organisateur|organisation|veranstalter|\blocal (arrangements?|comm?itt?ee|organi)|\bchairs?(person|man|woman)?s?\b|\bco-?(chairs?|ordinators?)\b|organizador|coordinador|coordena[çc][ãa]o|主席|组委|组织委员|組織委員|籌備|筹备|実行委員|조직|оргкомитет|организационн`)},
	{"other", compilePattern(`(?i)comm?itt?ees?\b|\bchairmen\b|editors?\b|comit[éeê]\b|\bpanelists?\b|\btutors?\b|instructors?\b|lecturers?\b|委员|委員|위원|комитет`)},
}

// roleStems are strings of which every match of a pattern of roles contains at least one. They are used for
// a fast check.
var roleStems = []string{"keynote", "invited", "plenary", "speaker", "ponen", "conf", "palestr", "relator", "steering", "advisory", "board", "consejo", "chair", "commit", "comit", "comm", "organi", "veranst", "local", "coordina", "coordena", "editor", "panelist", "tutor", "lectur", "instructor", "review", "members", "pc", "programm", "beirat", "tagungs", "hauptvortr", "eingeladen", "委", "主", "邀", "演", "講", "顾", "위원", "초청", "조직", "комитет", "програм", "организ", "приглаш", "head", "leader", "ordinator", "pilotage", "direttivo", "presidente", "scientific", "comiss", "wissenschaft", "筹", "籌", "专", "組", "组"}

// maxRole is the maximum length, in bytes, of a heading or label read as a role.
const maxRole = 200

// roleOf returns the role that a heading or label assigns to the people below it. It is keynote, steering,
// program_chair, general_chair, pc_member, organizer or other, or "" if it names no role.
func roleOf(s string) string {
	if len(s) > maxRole {
		return ""
	}
	var t pattern.Text
	if t.Set(s); !roleStem.MatchPart(&t, s) {
		return ""
	}
	if strings.Contains(strings.ToLower(s), "session chair") && !ofSessions.MatchString(s) {
		return "" // the chair of a session of talks has no role in organising the event
	}
	for _, r := range roles {
		if r.pattern.MatchPart(&t, s) {
			return r.role
		}
	}
	return ""
}

// ofSessions matches chairs who select sessions.
var ofSessions = compilePattern(`(?i)(special|poster|demo|invited|industr\w+|panel|tutorial) session`)

// namesRole reports whether a text of any length names a role other than that of a speaker.
func namesRole(s string) bool { return anyRole.MatchString(s) }

// anyRole matches what any pattern of roles except keynote matches, so that a text is searched only once.
var anyRole = func() *pattern.Pattern {
	var alternatives []string
	for _, r := range roles[1:] {
		alternatives = append(alternatives, strings.TrimPrefix(r.pattern.String(), "(?i)"))
	}
	return compilePattern("(?i)" + strings.Join(alternatives, "|"))
}()

// roleStem matches any of roleStems.
var roleStem = compilePattern(`(?i)` + strings.Join(roleStems, "|"))

// roleWords are the words that names of roles consist of.
var roleWords = wordSet("general program programme technical scientific research steering advisory organizing organising organization organisation organizer organizers organiser organisers local arrangement arrangements arrangments publicity publication publications proceedings web website webmaster finance financial registration sponsorship sponsor sponsors industry industrial industry student students volunteer volunteers workshop workshops tutorial tutorials poster posters demo demos demonstration demonstrations doctoral consortium symposium panel panels award awards liaison social media communication communications conference honorary founding publishing artifact evaluation diversity inclusion accessibility virtual hybrid online area senior international committee committees commitee comittee comitee board chair chairs cochair cochairs chairman chairmen chairperson chairpersons co vice lead leads leader head coordinator coordinators secretary treasurer moderator president member members reviewer reviewers keynote keynotes invited speaker speakers plenary talk talks guest editor editors managing track tracks special session sessions pc tpc spc and the of for our us confirmed preliminary tentative provisional list in alphabetical order main current assistant associate executive director directors host hosts logistics operations media short papers paper full challenge competition contest primary contact person moderator moderators comité comite científico cientifico organizador programa ponentes comité scientifique d'organisation programmkomitee veranstalter organisation meet team core")

// isRoleName reports whether s consists of the name of a role, such as "Local Arrangements Co-Chairs".
func isRoleName(s string) bool {
	if len(s) > maxHeading || roleOf(s) == "" {
		return false
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), isNotLetter) {
		if !roleWords[w] {
			return false
		}
	}
	return true
}

func isNotLetter(r rune) bool {
	return !unicode.IsLetter(r) && r != '\'' && r != '’' && !unicode.Is(unicode.Mn, r)
}
