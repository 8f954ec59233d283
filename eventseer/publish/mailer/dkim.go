package mailer

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"regexp"

	"github.com/emersion/go-msgauth/dkim"
	"golang.org/x/net/idna"
)

// minRSA is the minimum length of an RSA key that receivers accept, in bits (RFC 8301).
const minRSA = 1024

// signed are the header fields covered by a signature (RFC 6376, 5.4.1, and RFC 8058, 4 for unsubscription).
// From is listed twice, so that a second one cannot be added.
var signed = []string{
	"From", "From", "To", "Reply-To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
	"List-Id", "List-Unsubscribe", "List-Unsubscribe-Post", "Auto-Submitted", "Precedence",
}

// A Key signs mails by DKIM. It is safe for concurrent use.
type Key struct {
	domain, selector string
	signer           crypto.Signer
}

// selectorForm matches one or more DNS labels.
var selectorForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)

// ParseKey parses a private key, RSA or Ed25519 in PEM, that signs for a domain. Receivers look up its public
// key at selector._domainkey.domain.
func ParseKey(text []byte, domain, selector string) (*Key, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("it does not contain a key in PEM (-----BEGIN PRIVATE KEY-----)")
	}
	if !selectorForm.MatchString(selector) || len(selector) > 63 {
		return nil, fmt.Errorf("selector %q is not a name in DNS such as mail2027", selector)
	}
	domain, err := idna.Lookup.ToASCII(domain)
	if err != nil || domain == "" {
		return nil, fmt.Errorf("%q is not a domain to sign for", domain)
	}
	var key any
	switch block.Type {
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "PRIVATE KEY":
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	default:
		return nil, fmt.Errorf("it contains a %s instead of a PRIVATE KEY", block.Type)
	}
	if err != nil {
		return nil, err
	}
	k := &Key{domain: domain, selector: selector}
	switch key := key.(type) {
	case *rsa.PrivateKey:
		if key.N.BitLen() < minRSA {
			return nil, fmt.Errorf("its RSA key has %d bits; receivers require %d, and 2048 is better", key.N.BitLen(), minRSA)
		}
		k.signer = key
	case ed25519.PrivateKey:
		k.signer = key
	default:
		return nil, fmt.Errorf("its key has the type %T, which DKIM does not support; use RSA or Ed25519", key)
	}
	return k, nil
}

// Record returns the TXT record that must be in DNS to verify signatures.
func (k *Key) Record() (name, value string, err error) {
	kind, public := "ed25519", []byte(nil)
	switch p := k.signer.Public().(type) {
	case ed25519.PublicKey:
		public = p
	default:
		kind = "rsa"
		if public, err = x509.MarshalPKIXPublicKey(p); err != nil {
			return "", "", err
		}
	}
	return k.selector + "._domainkey." + k.domain, "v=DKIM1; k=" + kind + "; p=" + base64.StdEncoding.EncodeToString(public), nil
}

// signMail returns a mail with its signature as the first header field.
func (k *Key) signMail(raw []byte) ([]byte, error) {
	var b bytes.Buffer
	err := dkim.Sign(&b, bytes.NewReader(raw), &dkim.SignOptions{
		Domain: k.domain, Selector: k.selector, Signer: k.signer, Hash: crypto.SHA256,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed, HeaderKeys: signed,
	})
	if err != nil {
		return nil, fmt.Errorf("signing: %w", err)
	}
	return b.Bytes(), nil
}
