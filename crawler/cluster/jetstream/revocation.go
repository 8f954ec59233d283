package jetstream

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
)

// A RevokedCertificate names a certificate that nodes refuse.
type RevokedCertificate struct {
	// Key is the SHA-256 of the certificate's public key. A digest of the whole certificate would
	// not do: a thief can change an ECDSA signature to another valid one.
	Key     string    `json:"key"`
	Subject string    `json:"subject"` // for the reader of the file
	Revoked time.Time `json:"revoked"`
	Expires time.Time `json:"expires"`
}

const (
	maxRevokedCertificates = 2000 // they make an account's JWT of 230 KB; a message of NATS holds 1 MB
	maxCertificateFile     = 1 << 20
	revokedTag             = "revoked-certificate:" // before the key, among the tags of the account
)

// ReadCertificate reads the first certificate of a PEM file. The others are those of its issuers.
func ReadCertificate(path string) (*x509.Certificate, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxCertificateFile {
		return nil, fmt.Errorf("%s has %d bytes, too many for a certificate", path, info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return c, nil
	}
	return nil, fmt.Errorf("%s contains no certificate in PEM format", path)
}

// keyDigest returns the digest of a certificate's public key.
func keyDigest(c *x509.Certificate) string {
	sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	return hex.EncodeToString(sum[:])
}

// RevokeCertificate revokes a certificate, and all others of the same key. The nodes must be informed: see
// PushAccessRules. Certificates that have expired leave the list, as nodes refuse those anyway.
func (a *Authority) RevokeCertificate(c *x509.Certificate, now time.Time) error {
	a.Certificates = slices.DeleteFunc(a.Certificates, func(r RevokedCertificate) bool { return !now.Before(r.Expires) })
	key := keyDigest(c)
	i := slices.IndexFunc(a.Certificates, func(r RevokedCertificate) bool { return r.Key == key })
	switch {
	case !now.Before(c.NotAfter):
		return fmt.Errorf("the certificate of %s expired at %s, so nodes refuse it already", c.Subject, c.NotAfter.Format(time.RFC3339))
	case i >= 0:
		if c.NotAfter.After(a.Certificates[i].Expires) {
			a.Certificates[i].Expires = c.NotAfter
		}
	case len(a.Certificates) >= maxRevokedCertificates:
		return fmt.Errorf("%d certificates are revoked, the most that nodes read; use a new CA", len(a.Certificates))
	default:
		a.Certificates = append(a.Certificates, RevokedCertificate{Key: key, Subject: c.Subject.String(), Revoked: now, Expires: c.NotAfter})
	}
	return a.renewJWTs()
}

// tagRevoked writes the revoked certificates into the claims of the account, which nodes hand to
// each other and store.
func (a *Authority) tagRevoked(claims *jwt.AccountClaims) {
	for _, r := range a.Certificates {
		claims.Tags = append(claims.Tags, revokedTag+r.Key)
	}
}

// refuseRevoked lets a node end the handshake with clients and nodes that show a revoked certificate. The
// list is that of the account's newest JWT, which resolver stores.
func refuseRevoked(opts *server.Options, resolver *server.DirAccResolver, account string) {
	verify := func(s tls.ConnectionState) error {
		token, err := resolver.LoadAcc(account)
		if err != nil {
			return fmt.Errorf("revoked certificates: %w", err)
		}
		claims, err := jwt.DecodeAccountClaims(token)
		if err != nil {
			return fmt.Errorf("revoked certificates: %w", err)
		}
		for _, c := range s.PeerCertificates {
			if claims.Tags.Contains(revokedTag + keyDigest(c)) {
				return fmt.Errorf("%w: %s", errRevokedCertificate, c.Subject)
			}
		}
		return nil
	}
	for _, conf := range []*tls.Config{opts.TLSConfig, opts.Cluster.TLSConfig} {
		if conf != nil {
			conf.VerifyConnection = verify
		}
	}
}

var errRevokedCertificate = errors.New("the certificate is revoked")
