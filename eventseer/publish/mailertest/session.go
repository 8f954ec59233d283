package mailertest

import (
	"errors"
	"io"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// A session is one connection.
type session struct {
	server *Server
	conn   *smtp.Conn
	number int
	user   string // "" of nobody

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
	s.server.keep(Letter{From: s.from, To: s.to, Raw: raw, User: s.user, Secure: secure, Connection: s.number})
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

// keep takes a letter and wakes those who wait.
func (s *Server) keep(l Letter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.letters = append(s.letters, l)
	close(s.came)
	s.came = make(chan struct{})
}
