package account

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/mail"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/publish/queue"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/internal/bolt"

	"golang.org/x/net/idna"
)

// Limits on requests for a link.
const (
	MaxMailsPerAddress = 3    // mails per day to one address
	MaxMailsPerClient  = 10   // mails per hour for one client
	MaxMailsInAll      = 2000 // mails per hour: many clients together must not fill the file or harm the sender's reputation
	maxLocalPart       = 64
	maxAsker           = 100
)

// refusedHolds is how long an address gets no sign-in link after its server rejected a mail. After that the
// address may work again.
const refusedHolds = 7 * 24 * time.Hour

// A signInRequest is the stored data of a sign-in link.
type signInRequest struct {
	Address string         `json:"address"`
	List    eventseer.List `json:"list,omitzero"`
	Until   time.Time      `json:"until"`
}

// requestLog has the times of the last requests of an address or client.
type requestLog struct {
	At []time.Time `json:"at"`
	// N is the number of requests of all clients since At[0].
	N int `json:"n,omitempty"`
}

// allRequests is the key for all requests together. Other keys begin with a letter.
var allRequests = []byte("*")

// ParseAddress returns an address in the stored form: its domain in ASCII and lower case.
func ParseAddress(text string) (string, error) {
	wrong := func(msg string) error { return &eventseer.InputError{Field: "address", Msg: msg} }
	text = strings.TrimSpace(text)
	if len(text) > 4*records.MaxAddress || strings.ContainsAny(text, "\r\n\x00<>\"(),;: ") {
		return "", wrong("this is not a mail address such as ann@uni.example")
	}
	parsed, err := mail.ParseAddress(text)
	if err != nil || parsed.Address != text {
		return "", wrong("this is not a mail address such as ann@uni.example")
	}
	at := strings.LastIndexByte(text, '@')
	local, domain := text[:at], text[at+1:]
	domain, err = idna.Lookup.ToASCII(domain)
	if err != nil || !strings.Contains(domain, ".") || strings.ContainsAny(domain, "[]") {
		return "", wrong("this domain does not exist")
	}
	if address := local + "@" + domain; len(local) <= maxLocalPart && len(address) <= records.MaxAddress && message.CleanLine(address, records.MaxAddress) == address {
		return address, nil
	}
	return "", wrong("the address is too long")
}

// inboxKey returns the same key for addresses of one inbox. At most servers, ann+a@uni.example and
// ann+b@uni.example are the same inbox.
func inboxKey(address string) string {
	local, domain, _ := strings.Cut(records.AddressKey(address), "@")
	if name, _, tagged := strings.Cut(local, "+"); tagged && name != "" {
		local = name
	}
	return local + "@" + domain
}

// RequestSignIn mails a sign-in link. If list has a query, it is stored with the link and created when the link is
// used. from identifies the requester, for limits. The response does not reveal whether the address has an
// account.
func (s *Accounts) RequestSignIn(ctx context.Context, from, address string, list eventseer.List) error {
	address, err := ParseAddress(address)
	if err != nil {
		return err
	}
	if list.Query != "" {
		if list, err = s.CheckList(list); err != nil {
			return err
		}
		list.ID, list.Account = "", ""
	} else {
		list = eventseer.List{}
	}
	id, err := s.newID()
	if err != nil {
		return err
	}
	now := s.now()
	err = s.db.Write(ctx, func(tx *bolt.Tx) error {
		err := cmp.Or(
			countRequest(tx, "a"+inboxKey(address), MaxMailsPerAddress, 24*time.Hour, now),
			countRequest(tx, "f"+from[:min(len(from), maxAsker)], MaxMailsPerClient, time.Hour, now),
			countAllRequests(tx, now),
		)
		if err != nil {
			return err
		}
		if r, err := records.Get[mailRefusal](tx, records.RefusedBucket, []byte(records.AddressKey(address))); err == nil && now.Before(r.At.Add(refusedHolds)) {
			return nil
		}
		token := s.newToken(signinToken, id, 0)
		kept := signInRequest{Address: address, List: list, Until: now.Add(message.LinkHolds)}
		return errors.Join(
			records.Put(tx, records.SigninBucket, tokenHash(token), kept),
			queue.Add(tx, queue.SignIns, now, queue.Mail{ID: s.queue.MessageID("signin", id), Kind: queue.ConfirmKind, Address: address, Name: id, At: now}),
		)
	})
	if err == nil {
		s.queue.Wake()
	}
	return err
}

// countRequest counts a request. It returns eventseer.ErrTooMany, without counting, if there were too many in the
// last period.
func countRequest(tx *bolt.Tx, who string, most int, within time.Duration, now time.Time) error {
	tries, err := records.Get[requestLog](tx, records.RequestBucket, []byte(who))
	if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
		return err
	}
	var kept requestLog
	for _, at := range tries.At {
		if at.After(now.Add(-within)) {
			kept.At = append(kept.At, at)
		}
	}
	if len(kept.At) >= most {
		return eventseer.ErrTooMany
	}
	kept.At = append(kept.At, now)
	return records.Put(tx, records.RequestBucket, []byte(who), kept)
}

// countAllRequests is like countRequest for all requests together, by the hour of the clock.
func countAllRequests(tx *bolt.Tx, now time.Time) error {
	tries, err := records.Get[requestLog](tx, records.RequestBucket, allRequests)
	if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
		return err
	}
	if hour := now.Truncate(time.Hour); len(tries.At) == 0 || !tries.At[0].Equal(hour) {
		tries = requestLog{At: []time.Time{hour}}
	}
	if tries.N >= MaxMailsInAll {
		return eventseer.ErrTooMany
	}
	tries.N++
	return records.Put(tx, records.RequestBucket, allRequests, tries)
}

// SignInRequest returns the address and the list of a sign-in link. It changes nothing.
func (s *Accounts) SignInRequest(ctx context.Context, token string) (address string, list eventseer.List, err error) {
	err = s.db.Read(ctx, func(tx *bolt.Tx) error {
		kept, err := s.signInRequestOf(tx, token)
		address, list = kept.Address, kept.List
		return err
	})
	return address, list, err
}

func (s *Accounts) signInRequestOf(tx *bolt.Tx, token string) (signInRequest, error) {
	if len(token) > maxToken {
		return signInRequest{}, eventseer.ErrNotFound
	}
	kept, err := records.Get[signInRequest](tx, records.SigninBucket, tokenHash(token))
	if err == nil && !s.now().Before(kept.Until) {
		return signInRequest{}, eventseer.ErrNotFound
	}
	return kept, err
}

// SignIn uses the token of a sign-in link, once, and returns the token of a new session. It creates the
// account if necessary, and the list stored with the link.
func (s *Accounts) SignIn(ctx context.Context, token string) (string, error) {
	secret, err := s.randomBytes(24)
	if err != nil {
		return "", err
	}
	opened := encoding.EncodeToString(secret)
	var begun *List
	s.lists.Lock()
	defer s.lists.Unlock()
	err = s.db.Write(ctx, func(tx *bolt.Tx) error {
		begun = nil
		kept, err := s.signInRequestOf(tx, token)
		if err != nil {
			return err
		}
		a, err := s.confirmAddress(tx, kept.Address)
		if err != nil {
			return err
		}
		if kept.List.Query != "" {
			if begun, err = s.beginList(tx, &a, kept.List); err != nil {
				return err
			}
		}
		return errors.Join(
			tx.Bucket(records.SigninBucket).Delete(tokenHash(token)),
			endSessions(tx, a.ID, maxSessions-1),
			records.Put(tx, records.SessionBucket, tokenHash(opened), session{Account: a.ID, Until: s.now().Add(sessionHolds)}),
			s.Schedule(tx, &a, time.Time{}),
		)
	})
	if err != nil {
		return "", err
	}
	if begun != nil {
		err = s.matcher.Set(begun.List)
	}
	return opened, err
}

// confirmAddress returns the account of an address that was just confirmed. It creates the account if necessary.
func (s *Accounts) confirmAddress(tx *bolt.Tx, address string) (Account, error) {
	key := []byte(records.AddressKey(address))
	id := tx.Bucket(records.AddressBucket).Get(key)
	if id == nil {
		return s.MakeAccount(tx, records.AddressKey(address), "", s.now())
	}
	a, err := Get(tx, string(id))
	if err != nil {
		return a, err
	}
	a.Refused = "" // a mail was delivered
	return a, tx.Bucket(records.RefusedBucket).Delete(key)
}

// beginList stores the list of a sign-in link, unless the account has one with the same query. If the account
// has too many lists, it returns nil without an error, so that the reader can sign in.
func (s *Accounts) beginList(tx *bolt.Tx, a *Account, l eventseer.List) (*List, error) {
	lists, err := ListsOf(tx, a.ID)
	if err != nil || len(lists) >= eventseer.MaxListsAnAccount {
		return nil, err
	}
	for _, have := range lists {
		if have.Query == l.Query && have.Left.IsZero() {
			return nil, nil
		}
	}
	l.Account = a.ID
	a.Left = time.Time{}
	return s.AddList(tx, l)
}

// endSessions ends the oldest sessions of an account, so that the given number remain.
func endSessions(tx *bolt.Tx, account string, keep int) error {
	type held struct {
		key   []byte
		until time.Time
	}
	var all []held
	for k, v := range records.WithPrefix(tx, records.SessionBucket, nil) {
		if o, err := records.Decode[session](records.SessionBucket, v); err == nil && o.Account == account {
			all = append(all, held{bytes.Clone(k), o.Until})
		}
	}
	slices.SortStableFunc(all, func(a, b held) int { return a.until.Compare(b.until) })
	for _, oldest := range all[:max(0, len(all)-keep)] {
		if err := tx.Bucket(records.SessionBucket).Delete(oldest.key); err != nil {
			return err
		}
	}
	return nil
}

// A mailRefusal is the reason why no mail is sent to an address.
type mailRefusal struct {
	Why string    `json:"why"`
	At  time.Time `json:"at"`
}

// EndMailTo ends all mail to an address.
func (s *Accounts) EndMailTo(tx *bolt.Tx, address, why string, now time.Time) error {
	k := []byte(records.AddressKey(address))
	why = message.CleanLine(why, 300)
	if err := records.Put(tx, records.RefusedBucket, k, mailRefusal{why, now}); err != nil {
		return err
	}
	id := tx.Bucket(records.AddressBucket).Get(k)
	if id == nil {
		return nil
	}
	a, err := Get(tx, string(id))
	if err != nil {
		return err
	}
	a.Refused = why
	return s.Schedule(tx, &a, time.Time{})
}

// SignInLink returns the sign-in link for a queued mail, and the list stored with it. It returns
// eventseer.ErrNotFound if the link was used or has expired.
func (s *Accounts) SignInLink(tx *bolt.Tx, name string) (link string, list eventseer.List, err error) {
	token := s.newToken(signinToken, name, 0)
	kept, err := s.signInRequestOf(tx, token)
	return s.o.Site.Base + "signin/" + token, kept.List, err
}
