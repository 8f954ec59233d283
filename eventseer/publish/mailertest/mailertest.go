// Package mailertest runs a real SMTP server on loopback for tests: it stores what is delivered and
// answers as configured.
package mailertest

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
)

// How a server is spoken to.
const (
	Plain    = "none"
	StartTLS = "starttls"
	TLS      = "tls"
)

// Options are the requirements of a server. The zero value is a server without TLS and without passwords.
type Options struct {
	TLS string // Plain, StartTLS or TLS; "" is Plain
	// User and Password must be given by senders, unless User is "".
	User, Password string
	// Mechanisms are those of AUTH that are offered: PLAIN, LOGIN, CRAM-MD5 and
	// SCRAM-SHA-256. Nil means all.
	Mechanisms []string
	// OnlyASCII leaves out SMTPUTF8 (RFC 6531).
	OnlyASCII bool
}

// A Server takes mail at a port of 127.0.0.1. It is safe for concurrent use.
type Server struct {
	options Options
	addr    string
	ca      []byte
	smtp    *smtp.Server
	done    chan struct{} // closed when it serves no more
	closing chan struct{} // closed by Close
	once    sync.Once

	mu          sync.Mutex // guards below
	letters     []Letter
	answers     map[string]*Answer // by address
	came        chan struct{}      // closed, and opened again, with each email
	connections int
}

// Start runs a server until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	return StartWith(t, Options{})
}

// StartWith runs a server with options until the test ends.
func StartWith(t testing.TB, o Options) *Server {
	t.Helper()
	s, err := ListenWith(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // closing what a test has broken off fails
	return s
}

// Listen runs a server until Close.
func Listen() (*Server, error) { return ListenWith(Options{}) }

// ListenWith runs a server with options until Close.
func ListenWith(o Options) (*Server, error) {
	s := &Server{options: o, answers: map[string]*Answer{}, came: make(chan struct{}), done: make(chan struct{}), closing: make(chan struct{})}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.addr = listener.Addr().String()
	https := httptest.NewTLSServer(nil) // for its certificate
	defer https.Close()
	s.ca = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: https.Certificate().Raw})
	s.smtp = smtp.NewServer(smtp.BackendFunc(s.session))
	s.smtp.Domain, s.smtp.AllowInsecureAuth = "loopback.example", true
	s.smtp.EnableSMTPUTF8 = !o.OnlyASCII
	s.smtp.MaxMessageBytes, s.smtp.ErrorLog = 32<<20, log.New(io.Discard, "", 0)
	secure := &tls.Config{Certificates: https.TLS.Certificates, MinVersion: tls.VersionTLS12}
	switch o.TLS {
	case StartTLS:
		s.smtp.TLSConfig = secure
	case TLS:
		listener = tls.NewListener(listener, secure)
	}
	go func() {
		defer close(s.done)
		_ = s.smtp.Serve(listener) // ends with Close
	}()
	return s, nil
}

// Addr returns the server's host and port.
func (s *Server) Addr() string { return s.addr }

// CA returns the certificate in PEM that the server's is signed by: its own.
func (s *Server) CA() []byte { return slices.Clone(s.ca) }

// Close ends the server and breaks off its connections.
func (s *Server) Close() error {
	s.once.Do(func() { close(s.closing) })
	err := s.smtp.Close()
	<-s.done
	return err
}

// Letters returns the delivered mails, oldest first.
func (s *Server) Letters() []Letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.letters)
}

// Wait returns when n emails or more were delivered, or with an error when ctx ends.
func (s *Server) Wait(ctx context.Context, n int) ([]Letter, error) {
	for {
		s.mu.Lock()
		letters, came := slices.Clone(s.letters), s.came
		s.mu.Unlock()
		if len(letters) >= n {
			return letters, nil
		}
		select {
		case <-came:
		case <-ctx.Done():
			return letters, fmt.Errorf("%d of %d letters were delivered: %w", len(letters), n, ctx.Err())
		}
	}
}

// Forget drops the mails delivered so far.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.letters = nil
}

// Connections returns how many connections were opened so far.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}
