package mailbox

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

// Ports of IMAP: with TLS from the start, and with STARTTLS (RFC 8314).
const (
	portTLS      = "993"
	portStartTLS = "143"
)

// Time limits for logging in, and for one complete command.
const (
	dialTimeout   = 30 * time.Second
	answerTimeout = 15 * time.Minute
)

// ErrSlow means that a server did not answer in time.
var ErrSlow = errors.New("the server does not respond in time")

// An IMAP reads folders of an IMAP server (RFC 3501 and 9051) without changing them. The folder is
// opened by EXAMINE and the messages are not marked as seen. It is read-only and safe for
// concurrent use.
type IMAP struct {
	// Server is HOST or HOST:PORT; the default port is 993. Port 143 uses STARTTLS, all others TLS
	// from the start.
	Server string
	// User and Password log in. Errors never contain the password.
	User, Password string
	// StartTLS uses STARTTLS at any port.
	StartTLS bool
	// Insecure disables TLS, for a loopback address only.
	Insecure bool
	// Roots are the trusted certificate authorities. Nil means those of the system.
	Roots *x509.CertPool
	// Reader converts the messages to pages.
	Reader Reader

	patience time.Duration // replaces the timeouts in tests
}

// ErrInsecure means that a password would have to be sent without encryption.
var ErrInsecure = errors.New("no TLS")

// connect connects and logs in. The connection is closed when ctx ends.
func (o IMAP) connect(ctx context.Context) (*imapclient.Client, error) {
	host, port, err := o.hostAndPort()
	if err != nil {
		return nil, err
	}
	dialing, cancel := context.WithTimeoutCause(ctx, cmp.Or(o.patience, dialTimeout), ErrSlow)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(dialing, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Server, err)
	}
	context.AfterFunc(ctx, func() { _ = conn.Close() }) // interrupts pending reads
	inTime := context.AfterFunc(dialing, func() { _ = conn.Close() })
	client, err := o.secureAndGreet(dialing, conn, host, port)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", o.Server, cmp.Or(context.Cause(dialing), err)), withoutCloseErrors(conn.Close()))
	}
	if err := client.Login(o.User, o.Password).Wait(); err != nil {
		return nil, errors.Join(cmp.Or(context.Cause(dialing), o.loginError(err)), withoutCloseErrors(client.Close()))
	}
	if !inTime() {
		return nil, errors.Join(fmt.Errorf("%s: %w", o.Server, context.Cause(dialing)), withoutCloseErrors(client.Close()))
	}
	return client, nil
}

// secureAndGreet sets up encryption and waits for the server's greeting.
func (o IMAP) secureAndGreet(ctx context.Context, conn net.Conn, host, port string) (*imapclient.Client, error) {
	secure := &tls.Config{ServerName: host, RootCAs: o.Roots, MinVersion: tls.VersionTLS12, NextProtos: []string{"imap"}}
	options := &imapclient.Options{TLSConfig: secure}
	var client *imapclient.Client
	switch {
	case o.Insecure:
		client = imapclient.New(conn, options)
	case o.StartTLS || port == portStartTLS:
		var err error
		if client, err = imapclient.NewStartTLS(conn, options); err != nil {
			return nil, fmt.Errorf("%w: STARTTLS: %w", ErrInsecure, err)
		}
	default:
		wrapped := tls.Client(conn, secure)
		if err := wrapped.HandshakeContext(ctx); err != nil {
			return nil, fmt.Errorf("%w: %w; does its port use TLS?", ErrInsecure, err)
		}
		client = imapclient.New(wrapped, options)
	}
	return client, client.WaitGreeting()
}

// hostAndPort splits Server into host and port, and rejects Insecure for addresses that are not
// loopback.
func (o IMAP) hostAndPort() (host, port string, err error) {
	host, port, err = net.SplitHostPort(o.Server)
	if err != nil {
		host, port = strings.Trim(o.Server, "[]"), portTLS
	}
	if host == "" || strings.ContainsAny(host, "/@ ") || o.User == "" {
		return "", "", fmt.Errorf("IMAP needs a server such as mail.example:993 and a user, not %q and %q", o.Server, o.User)
	}
	if ip := net.ParseIP(host); o.Insecure && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", "", fmt.Errorf("%w: %s is not a loopback address, so the password would be sent without encryption", ErrInsecure, host)
	}
	return host, cmp.Or(port, portTLS), nil
}

// loginError returns the error of a login, without the server's text, which may contain the password.
func (o IMAP) loginError(err error) error {
	text := err.Error()
	if o.Password != "" {
		text = strings.ReplaceAll(text, o.Password, "…")
	}
	return fmt.Errorf("%s: it refuses the login of %s: %s", o.Server, o.User, text)
}

// withoutCloseErrors removes the errors that closing a broken connection always causes.
func withoutCloseErrors(err error) error {
	var refused *imap.Error
	if err == nil || errors.Is(err, net.ErrClosed) || errors.As(err, &refused) {
		return nil
	}
	return fmt.Errorf("closing: %w", err)
}

// Limits on one request to a server, and on memory.
const (
	maxBatch      = 100     // messages of one request
	maxBatchBytes = 8 << 20 // bytes of one request, unless the first message is larger
	maxListed     = 5_000_000
)

// A FolderPosition is the position up to which a folder was read. It is the message UID, valid as long as the
// folder's UIDVALIDITY is Validity. The zero Mark is the beginning.
type FolderPosition struct {
	Validity uint32 `json:"uidvalidity"`
	UID      uint32 `json:"uid"`
}

// A FetchedMessage is a message read from a folder.
type FetchedMessage struct {
	// Pages are the pages of the message; none if it is damaged or was deleted.
	Pages []*webgraph.Page
	// Mark is the position after the message. If it is stored when all earlier messages are safely
	// stored, each message is repeated at most once.
	Mark FolderPosition
	// Raw is the message as it was sent, up to MaxMessage bytes.
	Raw []byte
}

// Fetch yields the messages of a folder after a mark, in the order of their UIDs. If UIDVALIDITY
// has changed, it yields all of them. Only the beginning is requested of a message larger than
// MaxMessage. A broken message is yielded as an ErrMessage, and fetching continues; any other error
// ends it.
func (o IMAP) Fetch(ctx context.Context, folder string, after FolderPosition) iter.Seq2[FetchedMessage, error] {
	return func(yield func(FetchedMessage, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // this also closes the connection
		client, err := o.connect(ctx)
		if err != nil {
			yield(FetchedMessage{Mark: after}, err)
			return
		}
		f := folderFetch{IMAP: o, client: client, folder: folder, mark: after}
		switch err := f.fetchMessages(yield); {
		case errors.Is(err, errStopped):
		case err != nil:
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			yield(FetchedMessage{Mark: f.mark}, fmt.Errorf("%s: folder %s: %w", o.Server, folder, err))
		default:
			_ = client.Logout().Wait() // all messages were read, so errors do not matter
		}
	}
}

// errStopped means that the caller ended the sequence.
var errStopped = errors.New("stopped")

// A folderFetch is the reading of one folder.
type folderFetch struct {
	IMAP
	client *imapclient.Client
	folder string
	mark   FolderPosition
}

// A sizedMessage is a message on the server, with its size in bytes.
type sizedMessage struct {
	uid  uint32
	size int64
}

// A rawMessage is a message as the server sent it.
type rawMessage struct {
	uid  uint32
	text []byte
}

func (f *folderFetch) fetchMessages(yield func(FetchedMessage, error) bool) error {
	list, err := f.listAfterMark()
	if err != nil {
		return err
	}
	for len(list) > 0 {
		batch := firstBatch(list)
		list = list[len(batch):]
		messages, err := f.fetchBatch(batch)
		if err != nil {
			return err
		}
		for _, m := range messages {
			f.mark.UID = m.uid
			pages, err := f.Reader.Message(bytes.NewReader(m.text))
			if err != nil {
				err = fmt.Errorf("%s: folder %s: message %d: %w; the other messages are read", f.Server, f.folder, m.uid, err)
			}
			if !yield(FetchedMessage{pages, f.mark, m.text}, err) {
				return errStopped
			}
		}
		if last := batch[len(batch)-1].uid; f.mark.UID < last { // deleted meanwhile
			f.mark.UID = last
			if !yield(FetchedMessage{Mark: f.mark}, nil) {
				return errStopped
			}
		}
	}
	return nil
}

// limitCommandTime closes the connection if a command takes too long. The returned function ends the time
// limit, and returns ErrSlow if it was exceeded.
func (f *folderFetch) limitCommandTime() func(error) error {
	slow := time.AfterFunc(cmp.Or(f.patience, answerTimeout), func() { _ = f.client.Close() })
	return func(err error) error {
		if !slow.Stop() {
			return ErrSlow
		}
		return err
	}
}

// listAfterMark opens the folder and returns its messages after the mark, by UID.
func (f *folderFetch) listAfterMark() (_ []sizedMessage, err error) {
	inTime := f.limitCommandTime()
	defer func() { err = inTime(err) }()
	box, err := f.client.Select(f.folder, &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return nil, err
	}
	if box.UIDValidity == 0 || box.UIDValidity != f.mark.Validity {
		f.mark = FolderPosition{Validity: box.UIDValidity}
	}
	next := imap.UID(f.mark.UID) + 1
	if box.NumMessages == 0 || next == 0 || box.UIDNext != 0 && next >= box.UIDNext {
		return nil, nil
	}
	set := imap.UIDSet{}
	set.AddRange(next, 0) // "*" means that the last message is always included
	cmd := f.client.Fetch(set, &imap.FetchOptions{UID: true, RFC822Size: true})
	var list []sizedMessage
	for m := cmd.Next(); m != nil; m = cmd.Next() {
		var s sizedMessage
		for item := m.Next(); item != nil; item = m.Next() {
			switch item := item.(type) {
			case imapclient.FetchItemDataUID:
				s.uid = uint32(item.UID)
			case imapclient.FetchItemDataRFC822Size:
				s.size = item.Size
			}
		}
		if s.uid < uint32(next) {
			continue
		}
		if list = append(list, s); len(list) > maxListed {
			return nil, fmt.Errorf("the server lists more than %d messages", maxListed)
		}
	}
	slices.SortFunc(list, func(a, b sizedMessage) int { return cmp.Compare(a.uid, b.uid) })
	return slices.CompactFunc(list, func(a, b sizedMessage) bool { return a.uid == b.uid }), cmd.Close()
}

// firstBatch returns the beginning of the list that is requested at once.
func firstBatch(list []sizedMessage) []sizedMessage {
	total := int64(0)
	for i, s := range list {
		if total += min(s.size, MaxMessage); i == maxBatch || i > 0 && total > maxBatchBytes {
			return list[:i]
		}
	}
	return list
}

// fetchBatch returns the messages of a batch that still exist, by UID. Unsolicited or repeated data of
// the server is ignored.
func (f *folderFetch) fetchBatch(batch []sizedMessage) (_ []rawMessage, err error) {
	inTime := f.limitCommandTime()
	defer func() { err = inTime(err) }()
	set := imap.UIDSet{}
	wanted := map[uint32]bool{}
	for _, s := range batch {
		set.AddNum(imap.UID(s.uid))
		wanted[s.uid] = true
	}
	body := &imap.FetchItemBodySection{Peek: true, Partial: &imap.SectionPartial{Size: MaxMessage + 1}}
	cmd := f.client.Fetch(set, &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{body}})
	var messages []rawMessage
	total := 0
	for m := cmd.Next(); m != nil; m = cmd.Next() {
		raw, err := readRaw(m)
		if err != nil {
			return nil, err
		}
		if total += len(raw.text); total > maxBatchBytes+MaxMessage {
			return nil, errors.New("the server sends more messages than were requested")
		}
		if raw.text != nil && wanted[raw.uid] {
			messages = append(messages, raw)
			wanted[raw.uid] = false
		}
	}
	slices.SortFunc(messages, func(a, b rawMessage) int { return cmp.Compare(a.uid, b.uid) })
	return messages, cmd.Close()
}

// readRaw reads the server's data of one message; the text is nil if there is none.
func readRaw(m *imapclient.FetchMessageData) (raw rawMessage, err error) {
	for item := m.Next(); item != nil; item = m.Next() {
		switch item := item.(type) {
		case imapclient.FetchItemDataUID:
			raw.uid = uint32(item.UID)
		case imapclient.FetchItemDataBodySection:
			if item.Literal == nil || raw.text != nil {
				continue
			}
			if raw.text, err = io.ReadAll(io.LimitReader(item.Literal, MaxMessage+1)); err != nil {
				return raw, err
			}
		}
	}
	return raw, nil
}
