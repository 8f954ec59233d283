package mailbox

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

// The ports of IMAP: with TLS from the start, and with STARTTLS (RFC 8314).
const (
	portTLS      = "993"
	portStartTLS = "143"
)

// How long a server may take to let a user in, and to answer one command in full.
const (
	dialTimeout   = 30 * time.Second
	answerTimeout = 15 * time.Minute
)

// ErrSlow says that a server did not answer in time.
var ErrSlow = errors.New("the server does not answer in time")

// An IMAP reads folders of an IMAP server (RFC 3501 and 9051), without changing
// anything there: the folder is opened by EXAMINE and the messages are not marked
// as seen. It is read-only and safe for concurrent use.
type IMAP struct {
	// Server is HOST or HOST:PORT; without a port it is 993. A server at port 143
	// is asked for STARTTLS, all others are spoken to in TLS from the start.
	Server string
	// User and Password log in. The password is in no error.
	User, Password string
	// StartTLS asks for STARTTLS at any port.
	StartTLS bool
	// Insecure speaks without TLS, to a loopback address only.
	Insecure bool
	// Roots are the authorities that may have signed the server's certificate. Nil
	// means the system's.
	Roots *x509.CertPool
	// Reader makes pages of the messages.
	Reader Reader

	patience time.Duration // instead of the timeouts, where tests set it
}

// ErrInsecure says that a password would have to be sent in the clear.
var ErrInsecure = errors.New("no TLS")

// open connects and logs in. The connection breaks when ctx ends.
func (o IMAP) open(ctx context.Context) (*imapclient.Client, error) {
	host, port, err := o.address()
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
	context.AfterFunc(ctx, func() { _ = conn.Close() }) // what waits for the server gives up
	inTime := context.AfterFunc(dialing, func() { _ = conn.Close() })
	client, err := o.greet(dialing, conn, host, port)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", o.Server, cmp.Or(context.Cause(dialing), err)), closing(conn.Close()))
	}
	if err := client.Login(o.User, o.Password).Wait(); err != nil {
		return nil, errors.Join(cmp.Or(context.Cause(dialing), o.refused(err)), closing(client.Close()))
	}
	if !inTime() {
		return nil, errors.Join(fmt.Errorf("%s: %w", o.Server, context.Cause(dialing)), closing(client.Close()))
	}
	return client, nil
}

// greet makes the connection a secure one and waits for the server's greeting.
func (o IMAP) greet(ctx context.Context, conn net.Conn, host, port string) (*imapclient.Client, error) {
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
			return nil, fmt.Errorf("%w: %w; is its port one of TLS?", ErrInsecure, err)
		}
		client = imapclient.New(wrapped, options)
	}
	return client, client.WaitGreeting()
}

// address splits Server, and refuses to leave TLS out where others could listen.
func (o IMAP) address() (host, port string, err error) {
	host, port, err = net.SplitHostPort(o.Server)
	if err != nil {
		host, port = strings.Trim(o.Server, "[]"), portTLS
	}
	if host == "" || strings.ContainsAny(host, "/@ ") || o.User == "" {
		return "", "", fmt.Errorf("IMAP needs a server such as mail.example:993 and a user, not %q and %q", o.Server, o.User)
	}
	if ip := net.ParseIP(host); o.Insecure && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", "", fmt.Errorf("%w: %s is no loopback address: the password would be sent in the clear", ErrInsecure, host)
	}
	return host, cmp.Or(port, portTLS), nil
}

// refused is the error of a login. A server may repeat what it was sent.
func (o IMAP) refused(err error) error {
	text := err.Error()
	if o.Password != "" {
		text = strings.ReplaceAll(text, o.Password, "…")
	}
	return fmt.Errorf("%s: it lets %s not in: %s", o.Server, o.User, text)
}

// closing leaves out the errors that closing a broken connection always gives.
func closing(err error) error {
	var refused *imap.Error
	if err == nil || errors.Is(err, net.ErrClosed) || errors.As(err, &refused) {
		return nil
	}
	return fmt.Errorf("closing: %w", err)
}
