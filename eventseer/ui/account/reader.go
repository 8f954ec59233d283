package account

import (
	"net/http"
	"net/mail"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/internal/text"

	"golang.org/x/time/rate"
)

// FormLimits limit how often one address may send each form.
type FormLimits struct {
	Mail   *web.Limiter // what sends a mail
	Fetch  *web.Limiter // what fetches a page
	Search *web.Limiter // searches of the archive
	Note   *web.Limiter // messages that a person must read
	Press  *web.Limiter // all others
	Secret *web.Limiter // wrong passwords of the operator
}

func NewFormLimits() FormLimits {
	every := func(pause time.Duration, atOnce int) *web.Limiter {
		return web.NewLimiter(rate.Every(pause), atOnce)
	}
	return FormLimits{
		Mail: every(time.Minute, 5), Fetch: every(20*time.Second, 6), Search: every(3*time.Second, 20),
		Note: every(time.Minute, 5), Press: every(time.Second, 60), Secret: every(30*time.Second, 5),
	}
}

// ReminderDays are the possible days of a reminder before a deadline.
var ReminderDays = []int{30, 14, 7, 3, 1}

// Pauses are the choices for pausing mails, in days; the first ends a pause.
var Pauses = []int{0, 7, 30, 90}

// A FormChoice is a box or a button of several.
type FormChoice struct {
	Value, Text string
	Chosen      bool
}

func DaysBefore(d int) string { return text.Count(d, "day before", "days before") }

// RemindersText describes the days of reminders before a deadline: "14 and 3 days".
func RemindersText(days []int) string {
	var texts []string
	for _, d := range days {
		texts = append(texts, strconv.Itoa(d))
	}
	n := len(texts) - 1
	switch {
	case n < 0:
		return ""
	case n == 0:
		return text.Count(days[0], "day", "days")
	}
	return strings.Join(texts[:n], ", ") + " and " + texts[n] + " days"
}

const MaxAddress = 254

// AddressProblem returns an error if the syntax of a mail address is wrong, or "".
func AddressProblem(address string) string {
	if address == "" {
		return "Write your e-mail address."
	}
	const wrong = "This is not an e-mail address such as ada@example.org."
	if len(address) > MaxAddress || strings.ContainsFunc(address, IsInvalidInPath) {
		return wrong
	}
	a, err := mail.ParseAddress(address)
	if err != nil || a.Address != address || a.Name != "" {
		return wrong
	}
	return ""
}

// An AccountExport is all data stored about a reader, for the reader.
type AccountExport struct {
	Account eventseer.Account `json:"account"`
	Lists   []ExportedList    `json:"lists"`
	// Starred are the items that belong to no list.
	Starred []eventseer.Item `json:"starred"`
}

type ExportedList struct {
	eventseer.List
	Items []eventseer.Item `json:"items"`
}

const HostPrefix = web.HostPrefix

const SessionAge = 90 * 24 * 60 * 60 // seconds; Subscriptions may end a session earlier

const MaxCookie = 300 // bytes of a value

const MaxUser = 200 // bytes of a name in the header UserHeader

// A Visit is a request for a page that depends on the visitor.
type Visit struct {
	*http.Request
	W       http.ResponseWriter
	Account *eventseer.Account // nil for a visitor who is not signed in
	Session string             // "", also if it has ended
	User    string             // user named by the proxy's header
	Binding string             // secret to which the tokens of its forms are bound
	Target  string             // URL of a redirect; "" shows the view
	Anchors map[string]bool    // element ids of its page
}

// Redirect leads a visit on to another page.
func (v *Visit) Redirect(target string) (web.View, error) {
	v.Target = target
	return web.View{}, nil
}

// SetPrivateHeaders sets the headers of a response for one visitor only.
func SetPrivateHeaders(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer the origin of a form would be unknown
}

// SignInHref returns the URL of the sign-in page, which returns to the page of r.
func SignInHref(r *http.Request) string {
	if next := LocalPath(r.URL.RequestURI()); r.Method == http.MethodGet && next != "" {
		return "/signin?" + url.Values{"next": {next}}.Encode()
	}
	return "/signin"
}

// onward are the pages to which a form may redirect, by the first part of their path.
var onward = map[string]bool{"clips": true, "account": true, "subscribe": true, "e": true, "d": true, "s": true}

// LocalPath returns next if it is a path of this site to which a form may redirect, otherwise "".
// No browser interprets it as another host.
func LocalPath(next string) string {
	if len(next) > web.MaxSliceURL || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsFunc(next, IsInvalidInPath) {
		return ""
	}
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.Contains(u.Path, `\`) || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") {
		return ""
	}
	first, _, _ := strings.Cut(u.Path[1:], "/")
	if !onward[first] {
		return ""
	}
	clean := url.URL{Path: u.Path, RawQuery: u.Query().Encode(), Fragment: u.Fragment}
	return clean.String()
}

func IsInvalidInPath(r rune) bool { return r == '\\' || unicode.IsControl(r) || unicode.IsSpace(r) }

// WithoutCookies is a response writer that sets no cookie.
type WithoutCookies struct{ http.ResponseWriter }

func (n WithoutCookies) WriteHeader(status int) {
	n.Header().Del("Set-Cookie")
	n.ResponseWriter.WriteHeader(status)
}
