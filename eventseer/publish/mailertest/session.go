package mailertest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// A session is one connection.
type session struct {
	server *Server
	conn   *smtp.Conn
	number int
	user   string // "" without a login

	from    string
	to      []string
	answers []Answer
}

var _ smtp.AuthSession = (*session)(nil)

// session begins a connection; with STARTTLS a second time.
func (s *Server) session(c *smtp.Conn) (smtp.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, secure := c.TLSConnectionState()
	if !secure || s.options.TLS == TLS {
		s.connections++
	}
	return &session{server: s, conn: c, number: s.connections}, nil
}

func (s *session) AuthMechanisms() []string {
	if s.server.options.User == "" {
		return nil
	}
	return s.server.options.mechanisms()
}

func (s *session) Auth(mechanism string) (sasl.Server, error) {
	return s.server.options.auth(mechanism, func(user string) { s.user = user })
}

func (s *session) Reset() { s.from, s.to, s.answers = "", nil, nil }

func (s *session) Logout() error { return nil }

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.server.options.User != "" && s.user == "" {
		return smtp.ErrAuthRequired
	}
	s.from = from
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	a := s.server.answer(to)
	if err := a.failure(); err != nil && !a.AtData {
		return err
	}
	s.to, s.answers = append(s.to, to), append(s.answers, a)
	return nil
}

var errDropped = errors.New("dropped, as the test says")

func (s *session) Data(r io.Reader) error {
	for _, a := range s.answers {
		if a.DropBefore {
			return errors.Join(errDropped, s.conn.Conn().Close())
		}
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	for _, a := range s.answers {
		if err := a.failure(); err != nil {
			return err
		}
	}
	_, secure := s.conn.TLSConnectionState()
	s.server.keepLetter(Letter{From: s.from, To: s.to, Raw: raw, User: s.user, Secure: secure, Connection: s.number})
	for _, a := range s.answers {
		if a.DropAfter {
			return errors.Join(errDropped, s.conn.Conn().Close())
		}
		if a.Hold != nil {
			select {
			case <-a.Hold:
			case <-s.server.closing:
			}
		}
	}
	return nil
}

// keepLetter stores an email and wakes the goroutines that wait for one.
func (s *Server) keepLetter(l Letter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.letters = append(s.letters, l)
	close(s.came)
	s.came = make(chan struct{})
}

// An Answer is a server's response to emails to an address. The zero Answer takes them.
type Answer struct {
	// Code and Text are the response to RCPT TO, or to the email itself if AtData: 450, 550, and so on. Code
	// 0 accepts the email. A status such as 5.7.1 may begin the text; otherwise it is 5.1.1 or 4.1.1.
	Code   int
	Text   string
	AtData bool
	// DropBefore breaks the connection off before the email is accepted, DropAfter when it is
	// accepted but not confirmed. Then the email counts as delivered, and the sender does not know.
	DropBefore, DropAfter bool
	// Hold, if not nil, is waited for before the response to the email, which is stored already.
	Hold <-chan struct{}
	// Times is the number of emails that get this response; later ones are accepted. Zero means all.
	Times int
}

// Answer sets the response to emails to an address from now on.
func (s *Server) Answer(address string, a Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[strings.ToLower(address)] = &a
}

// answer returns the response to the email that begins now.
func (s *Server) answer(address string) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.answers[strings.ToLower(address)]
	if a == nil {
		return Answer{}
	}
	now := *a
	if a.Times > 0 {
		if a.Times--; a.Times == 0 {
			delete(s.answers, strings.ToLower(address))
		}
	}
	return now
}

// failure returns an Answer's error in the protocol, nil if it accepts the email.
func (a Answer) failure() error {
	if a.Code == 0 {
		return nil
	}
	status, text := smtp.EnhancedCode{a.Code / 100, 1, 1}, cmp.Or(a.Text, "as the test says")
	if n, err := fmt.Sscanf(text, "%d.%d.%d", &status[0], &status[1], &status[2]); err == nil && n == len(status) {
		_, text, _ = strings.Cut(text, " ")
	} else {
		status = smtp.EnhancedCode{a.Code / 100, 1, 1}
	}
	return &smtp.SMTPError{Code: a.Code, EnhancedCode: status, Message: text}
}
