package jetstream

import (
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/internal/freeport"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// A revoked certificate connects no client and no node. The client has a manager's credentials, the
// node has the secret. Both are refused as well by a node that starts again with the earlier file.
func TestRevokedCertificate(t *testing.T) {
	t.Parallel()
	ca, g := newAuthority(t), &guarded{Authority: ok[*Authority](t)(NewAuthority("eventseer")), t: t, dir: t.TempDir()}
	before := g.Node
	at := freeport.Addr(t, "127.0.0.1")
	node := func(name, cluster string, files TLS) ServerOptions {
		return ServerOptions{Name: name, Listen: "127.0.0.1:0", Cluster: cluster, Routes: []string{at}, Dir: t.TempDir(), MaxStore: 8 << 30, TLS: files, Access: &before}
	}
	stolen := ca.sign("n2")
	first, second := node("n1", at, ca.sign("n1")), node("n2", freeport.Addr(t, "127.0.0.1"), stolen)
	g.node = ok[*Server](t)(StartServer(first))
	t.Cleanup(func() { g.node.Close() })
	n2 := ok[*Server](t)(StartServer(second))
	eventually(t, "two nodes are connected", func() bool { return g.node.s.NumRoutes() > 0 })
	n2.Close()
	eventually(t, "one has ended", func() bool { return g.node.s.NumRoutes() == 0 })

	manager := g.file(RoleManager, "m1", time.Time{})
	connects := func(files *tls.Config) error {
		nc, err := nats.Connect(g.node.URL(), nats.UserCredentials(manager), nats.Secure(files), nats.NoReconnect())
		if err == nil {
			err = nc.Flush() // with TLS 1.3 a client hears of a refusal after its handshake
			nc.Close()
		}
		return err
	}
	shown := ok[*tls.Config](t)(stolen.loadConfig())
	must(t, connects(shown))
	must(t, g.RevokeCertificate(ok[*x509.Certificate](t)(ReadCertificate(stolen.Cert)), time.Now()))
	if n, err := g.PushAccessRules(limited(t), Options{URLs: []string{g.node.URL()}, TLS: ca.sign("m1")}); n != 1 || err != nil {
		t.Fatalf("%d nodes were told: %v", n, err)
	}
	for _, again := range []string{"at once", "after a start with the earlier file"} {
		t.Run(again, func(t *testing.T) {
			if err := connects(shown); err == nil {
				t.Error("a revoked certificate connects")
			}
			if err := connects(ca.otherSignature(t, shown)); err == nil {
				t.Error("a revoked certificate with a changed signature connects")
			}
			must(t, connects(ok[*tls.Config](t)(ca.sign("m2").loadConfig())))
			refusal := newRefusals(errRevokedCertificate.Error())
			g.node.s.SetLoggerV2(refusal, false, false, false)
			n2 := ok[*Server](t)(StartServer(second))
			select {
			case text := <-refusal.first:
				if !strings.Contains(text, "CN=n2") {
					t.Error(text)
				}
			case <-limited(t).Done():
				t.Error("a node with a revoked certificate is not refused")
			}
			eventually(t, "no route", func() bool { return g.node.s.NumRoutes() == 0 })
			n2.Close()
			g.node.Close()
			g.node = ok[*Server](t)(StartServer(first))
		})
	}
}

// otherSignature changes the signature of a certificate to the other one of ECDSA that is valid.
func (a *authority) otherSignature(t *testing.T, conf *tls.Config) *tls.Config {
	t.Helper()
	var whole struct {
		Signed    asn1.RawValue
		Algorithm asn1.RawValue
		Signature asn1.BitString
	}
	_ = ok[[]byte](t)(asn1.Unmarshal(conf.Certificates[0].Certificate[0], &whole))
	var of struct{ R, S *big.Int }
	_ = ok[[]byte](t)(asn1.Unmarshal(whole.Signature.Bytes, &of))
	of.S.Sub(elliptic.P256().Params().N, of.S)
	der := ok[[]byte](t)(asn1.Marshal(of))
	whole.Signature = asn1.BitString{Bytes: der, BitLength: 8 * len(der)}
	changed := conf.Clone()
	changed.Certificates = []tls.Certificate{conf.Certificates[0]}
	changed.Certificates[0].Certificate = [][]byte{ok[[]byte](t)(asn1.Marshal(whole))}
	leaf := ok[*x509.Certificate](t)(x509.ParseCertificate(changed.Certificates[0].Certificate[0]))
	must(t, leaf.CheckSignatureFrom(ok[*x509.Certificate](t)(ReadCertificate(filepath.Join(a.dir, "ca.pem")))))
	return changed
}

// Nodes keep the later of two lists. Of two revocations at once, and of one made by a clock that
// went back, none is lost without a message.
func TestRevocationsHaveAnOrder(t *testing.T) {
	t.Parallel()
	ca, a := newAuthority(t), ok[*Authority](t)(NewAuthority("eventseer"))
	last := int64(0)
	for _, name := range []string{"w1", "w2"} {
		must(t, a.RevokeCertificate(ok[*x509.Certificate](t)(ReadCertificate(ca.sign(name).Cert)), time.Now()))
		if at := ok[*jwt.AccountClaims](t)(jwt.DecodeAccountClaims(a.Node.Account)).IssuedAt; at <= last {
			t.Errorf("%s: issued at %d, the one before at %d", name, at, last)
		} else {
			last = at
		}
	}
	operator := ok[nkeys.KeyPair](t)(nkeys.FromSeed([]byte(a.Operator)))
	future := fakeIssuedAt(t, operator, a.Node.Account, time.Now().Add(time.Hour))
	a.Node.Account = future
	if err := a.renewJWTs(); err == nil || !strings.Contains(err.Error(), "correct the clock") || a.Node.Account != future {
		t.Errorf("a clock that went back: %v", err)
	}
}

// fakeIssuedAt returns a JWT as it would be if it had been signed at another time.
func fakeIssuedAt(t *testing.T, signer nkeys.KeyPair, token string, at time.Time) string {
	t.Helper()
	parts := strings.Split(token, ".")
	var claims map[string]any
	must(t, json.Unmarshal(ok[[]byte](t)(base64.RawURLEncoding.DecodeString(parts[1])), &claims))
	claims["iat"] = at.Unix()
	body := parts[0] + "." + base64.RawURLEncoding.EncodeToString(ok[[]byte](t)(json.Marshal(claims)))
	return body + "." + base64.RawURLEncoding.EncodeToString(ok[[]byte](t)(signer.Sign([]byte(body))))
}

// The list of revoked certificates has a limit, loses those that expired, and takes a key once.
func TestRevokedCertificatesAreBounded(t *testing.T) {
	t.Parallel()
	ca, a := newAuthority(t), ok[*Authority](t)(NewAuthority("eventseer"))
	now := time.Now()
	short := ok[*x509.Certificate](t)(ReadCertificate(ca.signUntil("short", now.Add(time.Minute)).Cert))
	must(t, a.RevokeCertificate(short, now))
	must(t, a.RevokeCertificate(short, now))
	if len(a.Certificates) != 1 {
		t.Errorf("%+v", a.Certificates)
	}
	long := ok[*x509.Certificate](t)(ReadCertificate(ca.sign("long").Cert))
	must(t, a.RevokeCertificate(long, now.Add(2*time.Minute)))
	if len(a.Certificates) != 1 || a.Certificates[0].Subject != "CN=long" {
		t.Errorf("%+v", a.Certificates)
	}
	if err := a.RevokeCertificate(short, now.Add(2*time.Minute)); err == nil {
		t.Error("a certificate is revoked that has expired")
	}
	for i := len(a.Certificates); i < maxRevokedCertificates; i++ {
		a.Certificates = append(a.Certificates, RevokedCertificate{Key: fmt.Sprintf("%064x", i), Expires: now.Add(time.Hour)})
	}
	must(t, a.renewJWTs())
	claims := ok[*jwt.AccountClaims](t)(jwt.DecodeAccountClaims(a.Node.Account))
	if !claims.Tags.Contains(revokedTag+keyDigest(long)) || len(claims.Tags) != maxRevokedCertificates || len(a.Node.Account) > 256<<10 {
		t.Errorf("%d tags, %d bytes", len(claims.Tags), len(a.Node.Account))
	}
	if err := a.RevokeCertificate(ok[*x509.Certificate](t)(ReadCertificate(ca.sign("more").Cert)), now); err == nil {
		t.Error("more certificates than nodes read")
	}
}

func TestReadCertificate(t *testing.T) {
	ca := newAuthority(t)
	files := ca.sign("w1")
	pair := slices.Concat(ok[[]byte](t)(os.ReadFile(files.Key)), ok[[]byte](t)(os.ReadFile(files.Cert)), ok[[]byte](t)(os.ReadFile(files.CA)))
	for what, c := range map[string]struct {
		data []byte
		say  string
	}{
		"a key and a chain": {pair, ""},
		"a key":             {ok[[]byte](t)(os.ReadFile(files.Key)), "no certificate in PEM"},
		"nothing":           {nil, "no certificate in PEM"},
		"too much":          {make([]byte, maxCertificateFile+1), "too many"},
		"garbage":           {[]byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), "x509"},
	} {
		path := filepath.Join(t.TempDir(), "c.pem")
		must(t, os.WriteFile(path, c.data, 0o600))
		got, err := ReadCertificate(path)
		switch {
		case c.say == "" && (err != nil || got.Subject.CommonName != "w1"):
			t.Errorf("%s: %v", what, err)
		case c.say != "" && (err == nil || !strings.Contains(err.Error(), c.say)):
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := ReadCertificate(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no file")
	}
}
