package ui

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/tools"
)

// Options are the parts and settings of the UI.
type Options struct {
	// Store and Index are read only; both are needed.
	Store eventseer.Store
	Index eventseer.Index
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Version of the program, shown in the footer.
	Version string
	// Contact is the e-mail address or URL of the crawler's operator, shown at /bot. Empty means
	// that this instance does not crawl.
	Contact string
	// UserAgent is that of the crawler, shown at /bot. Empty means "EventSeer".
	UserAgent string
	// Pause is the minimum time between two requests to a site. MaxCrawlDelay is the longest delay
	// that a robots.txt can request. Both are shown at /bot, unless zero.
	Pause, MaxCrawlDelay time.Duration
	// IgnoreDirectives means that meta robots and X-Robots-Tag are not obeyed, so /bot does not
	// promise it.
	IgnoreDirectives bool
	// Slicer fetches and searches pages for visitors, at /slice. If it is nil, the page says that
	// this instance does not crawl.
	Slicer tools.Slicer
	// SliceSynonyms offers to search for synonyms too.
	SliceSynonyms bool
	// Similar returns a query for calls similar to an event, or eventseer.ErrNotFound if there is none. If it is
	// nil, no page links to similar calls.
	Similar func(ctx context.Context, id eventseer.EventID) (string, error)
	// Versions are the stored versions of pages, shown at /e/ID/history. If it is nil, only changes
	// of records are shown.
	Versions Versions
	// Series, Desk, Submitter and Subscriptions serve the pages of series, of reports to the
	// operator, of submitted URLs and of readers. If one is nil, its pages say that this instance
	// does not have it, and no page links there.
	Series eventseer.SeriesStore
	// Curated returns the corrections of editors, for public statistics; nil shows none.
	Curated       func(context.Context) ([]eventseer.Correction, error)
	Desk          eventseer.NoteStore
	Submitter     Submitter
	Subscriptions Subscriptions
	// UserHeader is the header in which a proxy at one of UserProxies (IP addresses or prefixes)
	// names the signed-in reader. Empty trusts no header.
	UserHeader  string
	UserProxies []string
	// Growing describes on the home page of an empty site the progress of the crawl; nil shows
	// nothing.
	Growing func() string
	// Formats are the endings a search may have besides .json.
	Formats []eventseer.Format
	// Base is the URL of the site, ending in "/". Empty uses that of each request; mails need one.
	Base string
	// Panels are the operator's pages, for holders of AdminToken. It is sent in the address
	// /admin?token=TOKEN or typed, which begins a session, or as the password of HTTP basic
	// authentication. Without a token access is always denied. Audit records the operator's
	// actions; nil logs them.
	Panels     []Panel
	AdminToken string
	// Tools are operator's pages with their own handlers, by path, such as "/wrappers". Access is
	// the same as for Panels.
	Tools map[string]http.Handler
	Audit func(AuditEntry)
	// Dumps is the folder of the dumps offered at /data; "" means none.
	Dumps string
	// Revision returns the number of the store's last change; pages rendered before it are rendered
	// again. If it is nil, rendered pages are cached only until the minute ends.
	Revision func() uint64
	// Crawled returns when a page was last fetched; nil or zero shows nothing.
	Crawled func() time.Time
	// People shows committees and pages of people.
	People bool
	// Recent lists new events and changes, at /new and /changes. Nil disables both pages.
	Recent Recent
	// JSONLD returns an event and its changes, oldest first, as data of schema.org for search
	// engines, for the page at url. It returns false if the event lacks required data. Nil disables
	// it.
	JSONLD func(e eventseer.Event, changes []eventseer.Change, url string) ([]byte, bool)
	// Log receives internal errors, which visitors are not shown. Nil drops them.
	Log *slog.Logger
}

// A Submitter reads pages that visitors name. It requests no private address and obeys robots.txt
// and the host delays of the crawl.
type Submitter interface {
	// Read fetches a page and returns the event read from it; ok is false if it is not a call. An
	// error in the URL or the page is an *eventseer.InputError.
	Read(ctx context.Context, url string) (e eventseer.Event, ok bool, err error)
	// Queue adds the page to the crawl.
	Queue(ctx context.Context, url string) error
}

// ErrSignedOut means that a session is unknown or has ended.
var ErrSignedOut = errors.New("signed out")

// Subscriptions are the readers' accounts and lists. Implementations are safe for concurrent use.
// Errors in a person's input are *eventseer.InputError, too many attempts eventseer.ErrTooMany, and
// a wrong, used or expired token eventseer.ErrNotFound. Tokens come from mails and URLs; none is
// stored in clear text.
type Subscriptions interface {
	SignIns
	Accounts
	Lists
	Finds
	Feeds
	Votes
	Unsubscriptions
}

// SignIns let readers in by a link in a mail.
type SignIns interface {
	// RequestSignIn mails a sign-in link, and stores list, if it has a query, until the link is used. The
	// list begins only then (double opt-in). Known and unknown addresses get the same response.
	// from is the client's IP address, for limits.
	RequestSignIn(ctx context.Context, from, address string, list eventseer.List) error
	// SignInRequest returns what a link would sign in to, and changes nothing.
	SignInRequest(ctx context.Context, token string) (address string, list eventseer.List, err error)
	// SignIn uses the token of a mailed link, once, and returns a new session.
	SignIn(ctx context.Context, token string) (session string, err error)
	SignOut(ctx context.Context, session string) error
}

// Accounts are the readers.
type Accounts interface {
	// Account returns the account of a session, or ErrSignedOut. AccountOf returns the account of
	// the user named by the configured header, and creates it at first use.
	Account(ctx context.Context, session string) (eventseer.Account, error)
	AccountOf(ctx context.Context, user string) (eventseer.Account, error)
	// SaveAccount stores a reader's settings: Paused, Zone, Stars, Reminders.
	SaveAccount(ctx context.Context, a eventseer.Account) error
	// DeleteAccount removes the account with all that belongs to it.
	DeleteAccount(ctx context.Context, account string) error
}

// Lists are the saved searches of readers.
type Lists interface {
	Lists(ctx context.Context, account string) ([]eventseer.List, error)
	// SaveList creates a list if ID is "", otherwise changes it; it returns the stored list.
	SaveList(ctx context.Context, l eventseer.List) (eventseer.List, error)
	RemoveList(ctx context.Context, account, list string) error
	// Preview returns what a list would have found in 90 days; the list need not exist.
	Preview(ctx context.Context, l eventseer.List) (eventseer.Preview, error)
}

// Finds are the items found by lists.
type Finds interface {
	// Items returns the items of the account's lists, newest first; of one list if list is not "".
	Items(ctx context.Context, account, list string, from, limit int) (items []eventseer.Item, total int, err error)
	// Digest returns a mail by the token in it.
	Digest(ctx context.Context, token string) (eventseer.Digest, error)
}

// Feeds are the items of lists for programs.
type Feeds interface {
	// FeedToken returns the secret of a list's feed, and Feed the content for a secret.
	FeedToken(ctx context.Context, account, list string) (string, error)
	Feed(ctx context.Context, token string) (eventseer.List, []eventseer.Item, error)
}

// Votes are readers' opinions of items.
type Votes interface {
	// Vote stores the reader's opinion of an item: useful is 1 or -1. The token is the item's, from
	// the mail or from VoteToken.
	Vote(ctx context.Context, token string, useful int) (eventseer.Item, error)
	VoteToken(item eventseer.Item) string
}

// Unsubscriptions end lists from a mail.
type Unsubscriptions interface {
	// Unsubscription returns what a token of List-Unsubscribe would end. Leave ends it and Return begins
	// it again; each may be repeated.
	Unsubscription(ctx context.Context, token string) (eventseer.Unsubscription, error)
	Unsubscribe(ctx context.Context, token string) error
	Resubscribe(ctx context.Context, token string) error
}

// A Panel is one page of the operator's at /admin/NAME. Panels are created by the packages whose
// data they show; the UI only renders them.
type Panel struct {
	Name  string // in the URL: "hosts"
	Title string
	// Group is its heading at /admin: "Crawl", "Mail", "Data".
	Group string
	// Find, if not "", is the label of a search box whose text is the parameter "q".
	Find string
	// Show returns the present content of the page. query are the URL's parameters: "q", "from".
	Show func(ctx context.Context, query map[string]string) (Sheet, error)
	// Act, if not nil, performs the action of a Button of the sheet and returns a message. It is
	// called only for POST requests of the operator, which are recorded in the audit log.
	Act func(ctx context.Context, action, subject, value string) (said string, err error)
	// Preview, if not nil, returns the effect of an action, shown before Act is called; nil for an
	// action without a preview. Its error is shown like that of Act.
	Preview func(ctx context.Context, action, subject, value string) (*Sheet, error)
}

// A Sheet is the content of a Panel: facts, then tables.
type Sheet struct {
	Intro  string
	Facts  []Fact
	Tables []Table
}

// A Fact is one figure with its name. State is "", "good", "warn" or "bad" and is also shown as a
// word.
type Fact struct{ Name, Value, State string }

// A Table has a caption and rows; Empty is shown if it has none.
type Table struct {
	Caption string
	Columns []string
	Rows    []Row
	Empty   string
	// More is the query of the next page, or "".
	More string
}

// A Row is a line of a table with its actions.
type Row struct {
	Cells   []Cell
	Buttons []Button
}

// A Cell is a text, a link if Href is not "", a moment if At is not zero.
type Cell struct {
	Text, Href, State string
	At                time.Time
}

// A Button requests an action on a subject. With Ask there is a text field, initially Given; it may
// be empty only if Optional is set. Key is a letter or digit for the browser's access key, "" for
// none.
type Button struct {
	Action, Subject, Label, Ask, Given, Key string
	Optional                                bool
}

// An AuditEntry is one action of a privileged user.
type AuditEntry struct {
	At                   time.Time
	Who, Action, Subject string
	Result               string
}
