// Package mailer sends mails to an SMTP server or, as a dry run, to an mbox file. It also reads returned
// mails that could not be delivered.
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

// Values of Options.TLS.
const (
	StartTLS = "starttls" // unencrypted until STARTTLS, which must succeed
	TLS      = "tls"      // TLS from the start
	None     = "none"     // no TLS, only to a loopback address
)

// ErrInsecure means that mail or a password would have to be sent unencrypted over a network.
var ErrInsecure = errors.New("no TLS")

// Defaults of Options.
const (
	defaultTimeout = time.Minute
	defaultIdle    = time.Minute
)

// Options are the options of New and OpenMbox.
type Options struct {
	// Server is HOST or HOST:PORT. The default port is 587 with STARTTLS, 465 with TLS, and 25 without.
	Server string
	// User and Password are used to log in. If User is empty, there is no login. Errors never contain the
	// password.
	User, Password string
	// TLS is StartTLS, TLS or None. "" means StartTLS.
	TLS string
	// AllowClear allows None for an address that is not loopback.
	AllowClear bool
	// Roots are the authorities that may sign the server's certificate. Nil means those of the system.
	Roots *x509.CertPool
	// From is the sender of mails, to whom bounces go. ReplyTo, if not zero, is the address for replies.
	From, ReplyTo mail.Address
	// LeaveAddress, if not "", receives unsubscription mails. List-Unsubscribe then contains it in addition
	// to the URL, with a subject for UnsubscribeToken.
	LeaveAddress string
	// Key, if not nil, signs mails by DKIM.
	Key *Key
	// Timeout is the time limit for one response of the server. Zero means a minute.
	Timeout time.Duration
	// Idle is how long a connection is kept open for the next mail. Zero means a minute. If it is negative,
	// every mail has its own connection.
	Idle time.Duration
	// Dialogue, if not nil, receives the dialogue with the server, without the password.
	Dialogue io.Writer
}

// SMTP sends mails to a server, one after the other over one connection. It is safe for concurrent use.
type SMTP struct {
	options    Options
	host, port string
	turn       chan struct{} // holds one token; the goroutine that has it may use line
	line       *connection   // nil if there is no connection
}

var _ message.Mailer = (*SMTP)(nil)

// New returns a mailer. It connects when the first mail is sent.
func New(o Options) (*SMTP, error) {
	o.TLS = cmp.Or(o.TLS, StartTLS)
	o.Timeout, o.Idle = cmp.Or(o.Timeout, defaultTimeout), cmp.Or(o.Idle, defaultIdle)
	host, port, err := o.hostAndPort()
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

// hostAndPort returns host and port of Server. It returns an error if mail would be sent unencrypted over a
// network.
func (o Options) hostAndPort() (host, port string, err error) {
	standard := map[string]string{StartTLS: "587", TLS: "465", None: "25"}[o.TLS]
	if standard == "" {
		return "", "", fmt.Errorf("TLS of a mail server must be %s, %s or %s, not %q", StartTLS, TLS, None, o.TLS)
	}
	host, port, err = net.SplitHostPort(o.Server)
	if err != nil {
		host, port = strings.Trim(o.Server, "[]"), standard
	}
	if host == "" || strings.ContainsAny(host, "/@ ") {
		return "", "", fmt.Errorf("a mail server must be HOST:PORT such as mail.example:587, not %q", o.Server)
	}
	if o.TLS == None && !o.AllowClear && !isLoopback(host) {
		return "", "", fmt.Errorf("%w: %s is not a loopback address, so mail and password would be sent without encryption; use %s or %s", ErrInsecure, host, StartTLS, TLS)
	}
	return host, cmp.Or(port, standard), nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// encodeAddresses converts the domains of the addresses to ASCII.
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

// Send implements message.Mailer. It returns nil once the server has responded with 250 to the complete mail.
// The error wraps message.ErrRefused if the server permanently rejects the address.
func (s *SMTP) Send(ctx context.Context, l message.Email) error {
	_, err := s.Deliver(ctx, l)
	return err
}

// Deliver is like Send and also returns the server's response to the mail.
func (s *SMTP) Deliver(ctx context.Context, l message.Email) (answer string, err error) {
	raw, to, err := s.options.composeMail(l)
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
		defer s.quit()
	}
	return s.deliverMail(ctx, to, raw)
}

// Close closes the connection. A later Send opens a new one.
func (s *SMTP) Close() error {
	<-s.turn
	defer func() { s.turn <- struct{}{} }()
	s.quit()
	return nil
}
