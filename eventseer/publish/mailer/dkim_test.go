package mailer

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/publish/mailertest"

	"github.com/emersion/go-msgauth/dkim"
)

// keyOf is a key with its form in PEM.
func keyOf(t *testing.T, private crypto.Signer, domain string) *Key {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	k, err := ParseKey(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), domain, "mail2027")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func rsaKey(t *testing.T, bits int) *rsa.PrivateKey {
	t.Helper()
	k, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func edKey(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	_, k, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// verify checks a mail's signature with a DNS that knows one key.
func verify(t *testing.T, raw []byte, k *Key) *dkim.Verification {
	t.Helper()
	name, record, err := k.Record()
	if err != nil {
		t.Fatal(err)
	}
	found, err := dkim.VerifyWithOptions(bytes.NewReader(raw), &dkim.VerifyOptions{LookupTXT: func(asked string) ([]string, error) {
		if asked != name {
			return nil, fmt.Errorf("%s is not %s", asked, name)
		}
		return []string{record}, nil
	}})
	if err != nil || len(found) != 1 {
		t.Fatalf("%d signatures, %v", len(found), err)
	}
	return found[0]
}

// TestDKIM sends a signed mail through a server, and checks the result.
func TestDKIM(t *testing.T) {
	for _, private := range []crypto.Signer{rsaKey(t, 2048), edKey(t)} {
		s := mailertest.Start(t)
		o := sender(s)
		o.Key = keyOf(t, private, "seer.example")
		l := letter("ann@home.example")
		l.Text = ".\nFrom here on\n\nline with spaces   \n" + strings.Repeat("long ", 300) + "\n\n\n"
		l.Subject = "Größen: " + strings.Repeat("ä", 80)
		if err := open(t, o).Send(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		raw := s.Letters()[0].Raw
		v := verify(t, raw, o.Key)
		if v.Err != nil || v.Domain != "seer.example" {
			t.Errorf("%T: %s, %v", private, v.Domain, v.Err)
		}
		for _, field := range []string{"From", "Subject", "Date", "Message-ID", "List-Id", "List-Unsubscribe", "List-Unsubscribe-Post"} {
			if !slices.ContainsFunc(v.HeaderKeys, func(k string) bool { return strings.EqualFold(k, field) }) {
				t.Errorf("%s is not signed: %v", field, v.HeaderKeys)
			}
		}
		for name, forged := range map[string][]byte{
			"body":        bytes.Replace(raw, []byte("From here"), []byte("From there"), 1),
			"unsubscribe": bytes.Replace(raw, []byte("tok_1"), []byte("tok_2"), 1),
			"second from": append([]byte("From: x@y.example\r\n"), raw...),
		} {
			if v := verify(t, forged, o.Key); v.Err == nil {
				t.Errorf("%T: a changed %s goes through", private, name)
			}
		}
	}
}

func TestParseKey(t *testing.T) {
	pkcs1 := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(rsaKey(t, 2048))})
	if _, err := ParseKey(pkcs1, "bücher.example", "a.b"); err != nil {
		t.Errorf("PKCS #1: %v", err)
	}
	for name, c := range map[string]struct{ text, domain, selector string }{
		"no PEM":      {"hello", "seer.example", "a"},
		"certificate": {"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "seer.example", "a"},
		"garbage":     {"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "seer.example", "a"},
		"selector":    {string(pkcs1), "seer.example", "a b"},
		"domain":      {string(pkcs1), "seer example", "a"},
	} {
		if _, err := ParseKey([]byte(c.text), c.domain, c.selector); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
