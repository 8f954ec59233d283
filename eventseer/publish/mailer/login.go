package mailer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wneessen/go-mail/smtp"
)

// logIn uses the safest mechanism that the server offers.
func (s *SMTP) logIn(l *line) error {
	o := s.options
	if o.User == "" {
		return nil
	}
	has, offered := l.client.Extension("AUTH")
	if !has {
		return fmt.Errorf("it lets nobody log in (no AUTH), but smtp-user is %s", o.User)
	}
	auth, err := s.mechanism(l, strings.Fields(strings.ToUpper(offered)))
	if err != nil {
		return err
	}
	if err := l.client.Auth(auth); err != nil {
		return fmt.Errorf("it does not let %s in: %s", o.User, o.withoutPassword(err.Error()))
	}
	return nil
}

// mechanism chooses one of those that are offered. Those that send the password itself
// need TLS, or loopback.
func (s *SMTP) mechanism(l *line, offered []string) (smtp.Auth, error) {
	o := s.options
	state, secure := l.client.TLSConnectionState()
	clear := secure || loopback(s.host) || o.AllowClear
	// Channel binding of TLS 1.3 is not what these mechanisms were made for: with it
	// they are left to servers that offer nothing else.
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
		return nil, fmt.Errorf("%w: it takes a password only in the clear (%s)", ErrInsecure, strings.Join(offered, " "))
	}
	return nil, errors.New("none of its ways to log in is known here: " + strings.Join(offered, " "))
}

// withoutPassword is an answer of a server, which may repeat what it was sent.
func (o Options) withoutPassword(text string) string {
	if o.Password == "" {
		return text
	}
	return strings.ReplaceAll(text, o.Password, "…")
}
