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

// Options are what the UI is built from.
type Options struct {
	// Store and Index are read only; both are needed.
	Store eventseer.Store
	Index eventseer.Index
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Version of the program, shown in the footer.
	Version string
	// Contact is the e-mail address or URL of the crawler's operator, shown at /bot. Empty says
	// that this instance crawls nothing.
	Contact string
	// UserAgent is the crawler's, shown at /bot. Empty means "EventSeer".
	UserAgent string
	// Pause is the shortest between two requests to a site, and MaxCrawlDelay the
	// longest that a robots.txt is granted, shown at /bot. Zero is not shown.
	Pause, MaxCrawlDelay time.Duration
	// IgnoreDirectives means that meta robots and X-Robots-Tag are not obeyed, so that /bot does
	// not promise it.
	IgnoreDirectives bool
	// Slicer fetches and searches pages for visitors, at /slice. Nil says there
	// that this instance crawls nothing.
	Slicer tools.Slicer
	// SliceSynonyms offers to look for words of the same meaning too.
	SliceSynonyms bool
	// Versions are the versions of pages that are kept, shown at /e/ID/history. Nil
	// shows the changes of records alone.
	Versions Versions
	// Series, Desk, Submitter and Subscriptions serve the pages of series, of reports to
	// the operator, of submitted URLs and of readers. The pages of a nil one say that
	// this instance does not have it, and no page leads there.
	Series eventseer.SeriesStore
	// Curated returns the corrections of editors, for public statistics; nil shows none.
	Curated       func(context.Context) ([]eventseer.Correction, error)
	Desk          eventseer.Desk
	Submitter     Submitter
	Subscriptions Subscriptions
	// UserHeader is the header in which a proxy at one of UserProxies (IP addresses or
	// prefixes) names the reader who is signed in there. Empty trusts no header.
	UserHeader  string
	UserProxies []string
	// Growing says on the home page of an empty site how far the crawl is; nil says nothing.
	Growing func() string
	// Formats are the endings a search may have besides .json.
	Formats []eventseer.Format
	// Base is the URL the site is reached at, ending in "/". Empty takes that of each
	// request; mails need one.
	Base string
	// Panels are the operator's pages, for holders of AdminToken. It is given in the address
	// /admin?token=TOKEN or typed, for a session, or as the password of HTTP basic authentication.
	// Without a token access is always refused. Audit records what the operator did; nil logs it.
	Panels     []Panel
	AdminToken string
	// Tools are pages of the operator's that have a handler of their own, by their path,
	// such as "/wrappers". They are for whom Panels are for.
	Tools map[string]http.Handler
	Audit func(AuditEntry)
	// Dumps is the folder of the dumps that /data offers; "" has none.
	Dumps string
	// Revision returns the number of the store's last change: what was rendered before
	// it is rendered again. Nil: rendered pages are kept for the minute alone.
	Revision func() uint64
	// Crawled returns when a page was last fetched; nil or zero says nothing.
	Crawled func() time.Time
	// People shows committees and pages of people.
	People bool
	// Recent lists what was found and what changed, at /new and /changes. Nil leaves
	// both pages out.
	Recent Recent
	// JSONLD returns an event and its changes, oldest first, as data of schema.org for search
	// engines, for the page at url. It returns false if too little is known of the event. Nil has
	// none.
	JSONLD func(e eventseer.Event, changes []eventseer.Change, url string) ([]byte, bool)
	// Log hears of internal errors, which visitors are not shown. Nil drops them.
	Log *slog.Logger
}

// A Submitter reads pages that visitors name. It asks no private address and keeps
// to robots.txt and the pauses of the crawl.
type Submitter interface {
	// Read fetches a page and returns the event read from it; ok is false if it is no
	// call. What is wrong with the URL or the page is an *eventseer.InputError.
	Read(ctx context.Context, url string) (e eventseer.Event, ok bool, err error)
	// Queue asks the crawler to visit the page.
	Queue(ctx context.Context, url string) error
}

// ErrSignedOut means that a session is unknown or has ended.
var ErrSignedOut = errors.New("signed out")

// Subscriptions are the readers' accounts and lists. Implementations are safe for
// concurrent use. What a person typed wrong gives an *eventseer.InputError, too many
// tries eventseer.ErrTooMany, a token that is wrong, used or old
// eventseer.ErrNotFound. Tokens come from mails and URLs; none of them is kept in
// clear.
type Subscriptions interface {
	SignIns
	Accounts
	Lists
	Finds
	Feeds
	Votes
	Leavers
}

// SignIns let readers in by a link in a mail.
type SignIns interface {
	// Ask mails a link that signs in, and keeps list, if it has a query, until then. The list
	// begins when the link is used (double opt-in). Known and unknown addresses get the same
	// answer. from is the client's IP address, for limits.
	Ask(ctx context.Context, from, address string, list eventseer.List) error
	// Peek says what a link would sign in to, and changes nothing.
	Peek(ctx context.Context, token string) (address string, list eventseer.List, err error)
	// SignIn uses the token of a mailed link up and returns a new session.
	SignIn(ctx context.Context, token string) (session string, err error)
	SignOut(ctx context.Context, session string) error
}

// Accounts are the readers.
type Accounts interface {
	// Account returns whom a session belongs to, or ErrSignedOut; AccountOf whom the
	// configured header names, making the account at the first time.
	Account(ctx context.Context, session string) (eventseer.Account, error)
	AccountOf(ctx context.Context, user string) (eventseer.Account, error)
	// SaveAccount sets what a reader may set: Paused, Zone, Stars, Reminders.
	SaveAccount(ctx context.Context, a eventseer.Account) error
	// Forget removes the account with all that belongs to it.
	Forget(ctx context.Context, account string) error
}

// Lists are the saved searches of readers.
type Lists interface {
	Lists(ctx context.Context, account string) ([]eventseer.List, error)
	// SaveList makes a list where ID is "", else changes it; it returns it as kept.
	SaveList(ctx context.Context, l eventseer.List) (eventseer.List, error)
	RemoveList(ctx context.Context, account, list string) error
	// Preview says what a list would have brought in 90 days; the list need not exist.
	Preview(ctx context.Context, l eventseer.List) (eventseer.Preview, error)
}

// Finds are what lists brought.
type Finds interface {
	// Items returns what the account's lists brought, newest first; of one list if list
	// is not "".
	Items(ctx context.Context, account, list string, from, limit int) (items []eventseer.Item, total int, err error)
	// Digest returns a mail by the token in it.
	Digest(ctx context.Context, token string) (eventseer.Digest, error)
}

// Feeds are what lists brought, for programs.
type Feeds interface {
	// FeedToken and Feed are the secret of a list's feed, and what it leads to.
	FeedToken(ctx context.Context, account, list string) (string, error)
	Feed(ctx context.Context, token string) (eventseer.List, []eventseer.Item, error)
}

// Votes are what readers think of items.
type Votes interface {
	// Vote keeps what the reader thinks of an item: useful 1 or -1. The token is the
	// item's, in the mail and from VoteToken.
	Vote(ctx context.Context, token string, useful int) (eventseer.Item, error)
	VoteToken(item eventseer.Item) string
}

// Leavers end lists from a mail.
type Leavers interface {
	// Leaving says what a token of List-Unsubscribe would end, Leave ends it and Return
	// begins it again; each may be repeated.
	Leaving(ctx context.Context, token string) (eventseer.Leaving, error)
	Leave(ctx context.Context, token string) error
	Return(ctx context.Context, token string) error
}

// A Panel is one page of the operator's at /admin/NAME. Panels are made where the
// parts they show are known; the UI only draws them.
type Panel struct {
	Name  string // in the URL: "hosts"
	Title string
	// Group is the heading it is under at /admin: "Crawl", "Mail", "Data".
	Group string
	// Find, if not "", labels a search box: its text is the parameter "q".
	Find string
	// Show returns what the page says now. query are the URL's parameters: "q", "from".
	Show func(ctx context.Context, query map[string]string) (Sheet, error)
	// Act, if not nil, does what a Button of the sheet asks and says what it did. It is
	// called for POSTs of the operator only and written to the audit log.
	Act func(ctx context.Context, action, subject, value string) (said string, err error)
	// Preview, if not nil, returns what Act would change, which is shown before it is called;
	// nil for an action that needs no look. Its error is shown as that of Act.
	Preview func(ctx context.Context, action, subject, value string) (*Sheet, error)
}

// A Sheet is the content of a Panel: facts, then tables.
type Sheet struct {
	Intro  string
	Facts  []Fact
	Tables []Table
}

// A Fact is one figure with its name. State is "", "good", "warn" or "bad"; it is
// also said in words.
type Fact struct{ Name, Value, State string }

// A Table has a caption and rows; Empty is said where it has none.
type Table struct {
	Caption string
	Columns []string
	Rows    []Row
	Empty   string
	// More is the query of the next page, or "".
	More string
}

// A Row is a line of a table with what can be done about it.
type Row struct {
	Cells   []Cell
	Buttons []Button
}

// A Cell is a text, a link if Href is not "", a moment if At is not zero.
type Cell struct {
	Text, Href, State string
	At                time.Time
}

// A Button asks for an action on a subject. With Ask, a text is typed beside it, Given at
// first; it may be empty only where Optional is set. Key is a letter or digit that presses
// the button with the browser's access key, "" for none.
type Button struct {
	Action, Subject, Label, Ask, Given, Key string
	Optional                                bool
}

// An AuditEntry is one action of a user with rights.
type AuditEntry struct {
	At                   time.Time
	Who, Action, Subject string
	Result               string
}
