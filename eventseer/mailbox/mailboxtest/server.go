// Package mailboxtest runs an IMAP server on loopback for tests.
package mailboxtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
)

// The account of the server.
const (
	User     = "ann@home.example"
	Password = "hedge hog 7"
)

// How a server is spoken to.
const (
	TLS      = "tls"
	StartTLS = "starttls"
	Plain    = "plain" // no TLS at all
)

// A Server holds folders in memory.
type Server struct {
	Addr string // host and port
	CA   []byte // the certificate that signed the server's, in PEM

	user *imapmemserver.User
	mu   sync.Mutex // guards said
	said strings.Builder
}

// Serve starts a server until the test ends. It has the folder INBOX.
func Serve(t testing.TB, how string) *Server {
	t.Helper()
	certificate, ca := certify(t)
	s := &Server{CA: ca, user: imapmemserver.NewUser(User, Password)}
	s.Create(t, "INBOX")
	memory := imapmemserver.New()
	memory.AddUser(s.user)
	options := &imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return memory.NewSession(), nil, nil
		},
		Caps: imap.CapSet{imap.CapIMAP4rev1: {}}, InsecureAuth: how == Plain, Logger: log.New(io.Discard, "", 0),
		DebugWriter: s,
	}
	secure := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	if how == StartTLS {
		options.TLSConfig = secure
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Addr = listener.Addr().String()
	if how == TLS {
		listener = tls.NewListener(listener, secure)
	}
	server := imapserver.New(options)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // ends with Close
	}()
	t.Cleanup(func() {
		_ = server.Close() // closing what a test has broken off fails
		<-done
	})
	return s
}

// Create makes a folder.
func (s *Server) Create(t testing.TB, folder string) {
	t.Helper()
	if err := s.user.Create(folder, nil); err != nil {
		t.Fatal(err)
	}
}

// Renumber deletes a folder and makes it anew: its messages get other numbers.
func (s *Server) Renumber(t testing.TB, folder string) {
	t.Helper()
	if err := s.user.Delete(folder); err != nil {
		t.Fatal(err)
	}
	s.Create(t, folder)
}

// Append delivers messages to a folder.
func (s *Server) Append(t testing.TB, folder string, messages ...string) {
	t.Helper()
	for _, m := range messages {
		if _, err := s.user.Append(folder, literal{strings.NewReader(m)}, &imap.AppendOptions{Time: time.Unix(0, 0)}); err != nil {
			t.Fatal(err)
		}
	}
}

// Unseen returns the number of unread messages of a folder.
func (s *Server) Unseen(t testing.TB, folder string) int {
	t.Helper()
	data, err := s.user.Status(folder, &imap.StatusOptions{NumUnseen: true})
	if err != nil {
		t.Fatal(err)
	}
	return int(*data.NumUnseen)
}

// Said is what server and clients have told each other.
func (s *Server) Said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

// Write implements io.Writer for what goes over the wire.
func (s *Server) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.Write(p)
}

// A literal is a message to append.
type literal struct{ *strings.Reader }

// Size implements imap.LiteralReader.
func (l literal) Size() int64 { return l.Reader.Size() }

// certify makes a certificate for loopback that signs itself.
func certify(t testing.TB) (tls.Certificate, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "loopback"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
