package mailer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer/publish/message"

	"github.com/wneessen/go-mail/log"
	"github.com/wneessen/go-mail/smtp"
)

// quitTimeout is the time limit for the response to QUIT.
const quitTimeout = 5 * time.Second

// A connection is a connection to the server that is ready for a mail.
type connection struct {
	client *smtp.Client
	conn   net.Conn
	used   time.Time // when the last mail was sent
}

// connect connects to the server, secures the connection and logs in.
func (s *SMTP) connect(ctx context.Context) (_ *connection, err error) {
	where := net.JoinHostPort(s.host, s.port)
	dialing, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(dialing, "tcp", where)
	if err != nil {
		return nil, fmt.Errorf("mail server %s: %w", where, err)
	}
	l := &connection{conn: conn}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // interrupts pending reads
	defer stop()
	if err := s.secureAndGreet(l); err != nil {
		_ = conn.Close() // close errors do not matter here
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, fmt.Errorf("mail server %s: %w", where, err)
	}
	return l, nil
}

// secureAndGreet secures the connection, sends EHLO and logs in.
func (s *SMTP) secureAndGreet(l *connection) (err error) {
	secure := &tls.Config{ServerName: s.host, RootCAs: s.options.Roots, MinVersion: tls.VersionTLS12}
	conn := l.conn
	if err := conn.SetDeadline(time.Now().Add(s.options.Timeout)); err != nil {
		return err
	}
	if s.options.TLS == TLS {
		over := tls.Client(conn, secure)
		if err := over.Handshake(); err != nil {
			return fmt.Errorf("%w: %w; does its port use TLS from the start, and is its certificate issued for %s?", ErrInsecure, err, s.host)
		}
		conn = over
	}
	if l.client, err = smtp.NewClient(conn, s.host); err != nil {
		return fmt.Errorf("greeting: %w", err)
	}
	if s.options.Dialogue != nil {
		l.client.SetLogger(dialogue{s.options.Dialogue})
		l.client.SetDebugLog(true)
	}
	if err := l.client.Hello(helloName()); err != nil {
		return fmt.Errorf("EHLO: %w", err)
	}
	if s.options.TLS == StartTLS {
		if has, _ := l.client.Extension("STARTTLS"); !has {
			return fmt.Errorf("%w: it does not offer STARTTLS", ErrInsecure)
		}
		if err := l.client.StartTLS(secure); err != nil {
			return fmt.Errorf("%w: STARTTLS: %w; is its certificate issued for %s?", ErrInsecure, err, s.host)
		}
	}
	return s.logIn(l)
}

// sendMail sends a mail. It returns nil only after the server's 250 for the complete mail.
func (s *SMTP) sendMail(l *connection, from, to string, raw []byte) (answer string, err error) {
	step := func(what string, do func() error) error {
		err := l.client.UpdateDeadline(s.options.Timeout)
		if err == nil {
			err = do()
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", what, err)
		}
		return err
	}
	wide := !isASCII(from) || !isASCII(to)
	if has, _ := l.client.Extension("SMTPUTF8"); wide && !has {
		return "", fmt.Errorf("%w: mail to %s needs SMTPUTF8, which the server does not support", message.ErrRefused, to)
	}
	l.client.SkipSMTPUTF8(!wide) // more servers accept mail that does not use it
	var data io.WriteCloser
	if err := step("MAIL FROM", func() error { return l.client.Mail(bracketAddress(from)) }); err != nil {
		return "", senderError{err}
	}
	if err := step("RCPT TO", func() error { return l.client.Rcpt(bracketAddress(to)) }); err != nil {
		return "", recipientError(err)
	}
	if err := step("DATA", func() (err error) { data, err = l.client.Data(); return err }); err != nil {
		return "", err
	}
	if err := step("the letter", func() error { _, err := data.Write(raw); return err }); err != nil {
		return "", err
	}
	if err := step("the letter", data.Close); err != nil {
		return "", contentError(err)
	}
	if d, ok := data.(*smtp.DataCloser); ok {
		answer = d.ServerResponse()
	}
	return answer, nil
}

// A senderError is an error before the server received the recipient and the mail.
type senderError struct{ error }

func (e senderError) Unwrap() error { return e.error }

// deliverMail sends a mail over the open connection or a new one. If the open one turns out to be broken before
// the mail was sent, it tries a new one.
func (s *SMTP) deliverMail(ctx context.Context, to string, raw []byte) (answer string, err error) {
	if s.line != nil && time.Since(s.line.used) > s.options.Idle {
		s.quit()
	}
	for {
		reused := s.line != nil
		if !reused {
			if s.line, err = s.connect(ctx); err != nil {
				return "", err
			}
		}
		answer, err = s.sendOver(ctx, s.line, to, raw)
		var early senderError
		if reused && s.line == nil && errors.As(err, &early) && ctx.Err() == nil {
			continue
		}
		return answer, err
	}
}

// sendOver sends a mail over a connection, and closes the connection if it is broken.
func (s *SMTP) sendOver(ctx context.Context, l *connection, to string, raw []byte) (answer string, err error) {
	stop := context.AfterFunc(ctx, func() { _ = l.conn.Close() })
	defer stop()
	answer, err = s.sendMail(l, s.options.From.Address, to, raw)
	l.used = time.Now()
	var said *textproto.Error
	switch {
	case err == nil && ctx.Err() == nil:
		return answer, nil
	case err == nil: // the mail was accepted; the connection is closed or about to be
		s.line = nil
		return answer, nil
	case errors.As(err, &said) && said.Code != 421 && l.client.Reset() == nil, !errors.As(err, &said) && errors.Is(err, message.ErrRefused):
	default:
		_ = l.conn.Close()
		s.line = nil
	}
	if ctx.Err() != nil {
		err = errors.Join(ctx.Err(), err)
	}
	return "", fmt.Errorf("mail server %s: %w", net.JoinHostPort(s.host, s.port), err)
}

// quit ends the connection with QUIT.
func (s *SMTP) quit() {
	if s.line == nil {
		return
	}
	if s.line.client.UpdateDeadline(quitTimeout) == nil {
		_ = s.line.client.Quit() // all mails were accepted, so errors do not matter
	}
	_ = s.line.conn.Close()
	s.line = nil
}

func bracketAddress(address string) string { return "<" + address + ">" }

// A dialogue logs the commands and responses, one per line.
type dialogue struct{ w io.Writer }

func (d dialogue) Debugf(l log.Log) {
	mark := "< "
	if l.Direction == log.DirClientToServer {
		mark = "> "
	}
	for text := range strings.SplitSeq(fmt.Sprintf(l.Format, l.Messages...), "\n") {
		_, _ = fmt.Fprintln(d.w, mark+text) // log output; errors are ignored
	}
}

func (d dialogue) Infof(l log.Log)  { d.Debugf(l) }
func (d dialogue) Warnf(l log.Log)  { d.Debugf(l) }
func (d dialogue) Errorf(l log.Log) { d.Debugf(l) }

// logIn logs in by the safest mechanism that the server offers. It does nothing without a user.
func (s *SMTP) logIn(l *connection) error {
	o := s.options
	if o.User == "" {
		return nil
	}
	has, offered := l.client.Extension("AUTH")
	if !has {
		return fmt.Errorf("the server offers no login (AUTH), but smtp-user is %s", o.User)
	}
	auth, err := s.chooseMechanism(l, strings.Fields(strings.ToUpper(offered)))
	if err != nil {
		return err
	}
	if err := l.client.Auth(auth); err != nil {
		return fmt.Errorf("the server refuses the login of %s: %s", o.User, o.withoutPassword(err.Error()))
	}
	return nil
}

// chooseMechanism returns the safest of the offered mechanisms. Those that send the password itself require TLS or
// loopback.
func (s *SMTP) chooseMechanism(l *connection, offered []string) (smtp.Auth, error) {
	o := s.options
	state, secure := l.client.TLSConnectionState()
	clear := secure || isLoopback(s.host) || o.AllowClear
	// These mechanisms were not designed for the channel binding of TLS 1.3. Variants with it are used only
	// if the server offers no others.
	bound := secure && state.HandshakeComplete
	for _, m := range []struct {
		name string
		can  bool
		auth func() smtp.Auth
	}{
		{"SCRAM-SHA-256", true, func() smtp.Auth { return smtp.ScramSHA256Auth(o.User, o.Password) }},
		{"SCRAM-SHA-1", true, func() smtp.Auth { return smtp.ScramSHA1Auth(o.User, o.Password) }},
		{"SCRAM-SHA-256-PLUS", bound, func() smtp.Auth { return smtp.ScramSHA256PlusAuth(o.User, o.Password, &state) }},
		{"SCRAM-SHA-1-PLUS", bound, func() smtp.Auth { return smtp.ScramSHA1PlusAuth(o.User, o.Password, &state) }},
		{"CRAM-MD5", true, func() smtp.Auth { return smtp.CRAMMD5Auth(o.User, o.Password) }},
		{"PLAIN", clear, func() smtp.Auth { return smtp.PlainAuth("", o.User, o.Password, s.host, clear) }},
		{"LOGIN", clear, func() smtp.Auth { return smtp.LoginAuth(o.User, o.Password, s.host, clear) }},
	} {
		if m.can && slices.Contains(offered, m.name) {
			return m.auth(), nil
		}
	}
	if !clear {
		return nil, fmt.Errorf("%w: the server accepts a password only without encryption (%s)", ErrInsecure, strings.Join(offered, " "))
	}
	return nil, errors.New("the server offers only methods of login that are not supported here: " + strings.Join(offered, " "))
}

// withoutPassword returns a server's response with the password masked, in case the server repeats it.
func (o Options) withoutPassword(text string) string {
	if o.Password == "" {
		return text
	}
	return strings.ReplaceAll(text, o.Password, "…")
}
