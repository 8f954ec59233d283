package ui

import (
	"context"
	"errors"

	"eventseer/eventseer"
)

// ErrSignedOut says that a session is unknown or has ended.
var ErrSignedOut = errors.New("signed out")

// Subscriptions are the readers' accounts and lists. Implementations are safe for
// concurrent use. What a person typed wrong gives an *eventseer.InputError, too many
// tries eventseer.ErrTooMany, a token that is wrong, used or old
// eventseer.ErrNotFound. Tokens come from mails and URLs; none of them is kept in
// clear.
type Subscriptions interface {
	// Ask mails a link that signs in, and keeps list, if it has a query, until then:
	// it begins when the link is used (double opt-in). Known and unknown addresses get
	// the same answer. from is whoever asks, for limits: an IP address.
	Ask(ctx context.Context, from, address string, list eventseer.List) error
	// Peek says what a link would sign in to, and changes nothing.
	Peek(ctx context.Context, token string) (address string, list eventseer.List, err error)
	// SignIn uses the token of a mailed link up and returns a new session.
	SignIn(ctx context.Context, token string) (session string, err error)
	// Account returns whom a session belongs to, or ErrSignedOut; AccountOf whom the
	// configured header names, making the account at the first time.
	Account(ctx context.Context, session string) (eventseer.Account, error)
	AccountOf(ctx context.Context, user string) (eventseer.Account, error)
	SignOut(ctx context.Context, session string) error
	// SaveAccount sets what a reader may set: Paused, Zone, Stars, Reminders.
	SaveAccount(ctx context.Context, a eventseer.Account) error
	// Forget removes the account with all that belongs to it.
	Forget(ctx context.Context, account string) error

	Lists(ctx context.Context, account string) ([]eventseer.List, error)
	// SaveList makes a list where ID is "", else changes it; it returns it as kept.
	SaveList(ctx context.Context, l eventseer.List) (eventseer.List, error)
	RemoveList(ctx context.Context, account, list string) error
	// Preview says what a list would have brought in 90 days; the list need not exist.
	Preview(ctx context.Context, l eventseer.List) (eventseer.Preview, error)
	// Items returns what the account's lists brought, newest first; of one list if list
	// is not "".
	Items(ctx context.Context, account, list string, from, limit int) (items []eventseer.Item, total int, err error)

	// FeedToken and Feed are the secret of a list's feed, and what it leads to.
	FeedToken(ctx context.Context, account, list string) (string, error)
	Feed(ctx context.Context, token string) (eventseer.List, []eventseer.Item, error)
	// Digest returns a mail by the token in it.
	Digest(ctx context.Context, token string) (eventseer.Digest, error)
	// Vote keeps what the reader thinks of an item: useful 1 or -1. The token is the
	// item's, in the mail and from VoteToken.
	Vote(ctx context.Context, token string, useful int) (eventseer.Item, error)
	VoteToken(item eventseer.Item) string
	// Leaving says what a token of List-Unsubscribe would end, Leave ends it and Return
	// begins it again; each may be repeated.
	Leaving(ctx context.Context, token string) (eventseer.Leaving, error)
	Leave(ctx context.Context, token string) error
	Return(ctx context.Context, token string) error
}
