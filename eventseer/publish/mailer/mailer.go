// Package mailer sends emails: to an SMTP server, or as a dry run to an mbox file. It also reads
// what comes back of emails that could not be delivered.
package mailer

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/mail"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer/publish/message"
)

// How a server is spoken to.
const (
	StartTLS = "starttls" // in the clear until STARTTLS, which must succeed
	TLS      = "tls"      // TLS from the start
	None     = "none"     // no TLS, to a loopback address
)

// ErrInsecure means that mail or a password would have to go over the net in the clear.
var ErrInsecure = errors.New("no TLS")

// Defaults of Options.
const (
	defaultTimeout = time.Minute
	defaultIdle    = time.Minute
)

// Options say how emails are sent.
type Options struct {
	// Server is HOST or HOST:PORT; without a port it is 587 with STARTTLS, 465 with
	// TLS, and 25 without.
	Server string
	// User and Password log in; an empty User does not. The password is in no error.
	User, Password string
	// TLS is StartTLS, TLS or None; "" is StartTLS.
	TLS string
	// AllowClear lets TLS be None to an address that is not loopback.
	AllowClear bool
	// Roots are the authorities that may have signed the server's certificate. Nil
	// means the system's.
	Roots *x509.CertPool
	// From is who emails come from and where their bounces go; ReplyTo, if not zero, where answers
	// go.
	From, ReplyTo mail.Address
	// LeaveAddress, if not "", takes mails that end a list: List-Unsubscribe then
	// names it besides the URL, with the subject that LeaveToken reads.
	LeaveAddress string
	// Key, if not nil, signs emails by DKIM.
	Key *Key
	// Timeout is the server's time limit for one response. Zero means a minute.
	Timeout time.Duration
	// Idle is how long a connection is kept for the next letter. Zero means a minute; below zero
	// every email has a connection of its own.
	Idle time.Duration
	// Dialogue, if not nil, receives the dialogue with the server, without the password.
	Dialogue io.Writer
}

// SMTP sends emails to a server, one after the other over one connection. It is safe for concurrent
// use.
type SMTP struct {
	options    Options
	host, port string
	turn       chan struct{} // holds one token: the goroutine that has it may use line
	line       *line         // nil if there is no connection
}

var _ message.Mailer = (*SMTP)(nil)

// New returns a mailer that connects with its first email.
func New(o Options) (*SMTP, error) {
	o.TLS = cmp.Or(o.TLS, StartTLS)
	o.Timeout, o.Idle = cmp.Or(o.Timeout, defaultTimeout), cmp.Or(o.Idle, defaultIdle)
	host, port, err := o.address()
	if err != nil {
		return nil, err
	}
	if err := o.encodeAddresses(); err != nil {
		return nil, err
	}
	s := &SMTP{options: o, host: host, port: port, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s, nil
}

// address splits Server, and refuses to leave TLS out where others could listen.
func (o Options) address() (host, port string, err error) {
	standard := map[string]string{StartTLS: "587", TLS: "465", None: "25"}[o.TLS]
	if standard == "" {
		return "", "", fmt.Errorf("TLS of a mail server is %s, %s or %s, not %q", StartTLS, TLS, None, o.TLS)
	}
	host, port, err = net.SplitHostPort(o.Server)
	if err != nil {
		host, port = strings.Trim(o.Server, "[]"), standard
	}
	if host == "" || strings.ContainsAny(host, "/@ ") {
		return "", "", fmt.Errorf("a mail server is HOST:PORT, such as mail.example:587, not %q", o.Server)
	}
	if o.TLS == None && !o.AllowClear && !loopback(host) {
		return "", "", fmt.Errorf("%w: %s is no loopback address: mail and password would go in the clear; use %s or %s", ErrInsecure, host, StartTLS, TLS)
	}
	return host, cmp.Or(port, standard), nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// encodeAddresses writes the domains of the addresses as DNS has them.
func (o *Options) encodeAddresses() (err error) {
	for _, a := range []struct {
		what    string
		address *string
	}{{"sender", &o.From.Address}, {"reply-to", &o.ReplyTo.Address}, {"leave address", &o.LeaveAddress}} {
		if *a.address == "" && a.what != "sender" {
			continue
		}
		if *a.address, err = asciiAddress(*a.address); err != nil {
			return fmt.Errorf("%s: %w", a.what, err)
		}
	}
	return nil
}

// Send implements message.Mailer: nil means that the server has answered 250 to the whole letter.
// An address that the server turns away permanently gives message.ErrRefused.
func (s *SMTP) Send(ctx context.Context, l message.Email) error {
	_, err := s.Deliver(ctx, l)
	return err
}

// Deliver is Send; it also returns what the server answered to the email.
func (s *SMTP) Deliver(ctx context.Context, l message.Email) (answer string, err error) {
	raw, to, err := s.options.compose(l)
	if err != nil {
		return "", err
	}
	select {
	case <-s.turn:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	defer func() { s.turn <- struct{}{} }()
	if s.options.Idle < 0 {
		defer s.hangUp()
	}
	return s.deliver(ctx, to, raw)
}

// Close ends the connection. A later Send opens another.
func (s *SMTP) Close() error {
	<-s.turn
	defer func() { s.turn <- struct{}{} }()
	s.hangUp()
	return nil
}
