package jetstream

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

func ok[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// authority signs certificates.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, dir: t.TempDir()}
	a.cert = &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	a.key = ok[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	der := ok[[]byte](t)(x509.CreateCertificate(rand.Reader, a.cert, a.cert, &a.key.PublicKey, a.key))
	a.file("ca.pem", "CERTIFICATE", der)
	return a
}

func (a *authority) file(name, kind string, der []byte) string {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return path
}

// sign makes a certificate for 127.0.0.1, to be shown by servers and clients.
func (a *authority) sign(name string) TLS { return a.signUntil(name, time.Now().Add(time.Hour)) }

func (a *authority) signUntil(name string, end time.Time) TLS {
	a.t.Helper()
	key := ok[*ecdsa.PrivateKey](a.t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	c := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotAfter: end,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der := ok[[]byte](a.t)(x509.CreateCertificate(rand.Reader, c, a.cert, &key.PublicKey, a.key))
	return TLS{CA: filepath.Join(a.dir, "ca.pem"), Cert: a.file(name+".pem", "CERTIFICATE", der),
		Key: a.file(name+".key", "EC PRIVATE KEY", ok[[]byte](a.t)(x509.MarshalECPrivateKey(key)))}
}

// operator writes what nsc would: a server configuration in operator mode and the
// credentials of a user.
func operator(t *testing.T) (config, creds string) {
	t.Helper()
	op, account, user := ok[nkeys.KeyPair](t)(nkeys.CreateOperator()), ok[nkeys.KeyPair](t)(nkeys.CreateAccount()), ok[nkeys.KeyPair](t)(nkeys.CreateUser())
	system := ok[nkeys.KeyPair](t)(nkeys.CreateAccount())
	public := func(k nkeys.KeyPair) string { return ok[string](t)(k.PublicKey()) }
	sys := jwt.NewAccountClaims(public(system))
	oc := jwt.NewOperatorClaims(public(op))
	oc.SystemAccount = public(system)
	ac := jwt.NewAccountClaims(public(account))
	ac.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	userJWT := ok[string](t)(jwt.NewUserClaims(public(user)).Encode(account))
	seed := ok[[]byte](t)(user.Seed())
	dir := t.TempDir()
	config, creds = filepath.Join(dir, "nats.conf"), filepath.Join(dir, "crawler.creds")
	text := fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: {\n%s: %s\n%s: %s\n}\n",
		ok[string](t)(oc.Encode(op)), public(system), public(account), ok[string](t)(ac.Encode(op)), public(system), ok[string](t)(sys.Encode(op)))
	for path, data := range map[string][]byte{config: []byte(text), creds: ok[[]byte](t)(jwt.FormatUserConfig(userJWT, seed))} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config, creds
}

// Three nodes that show certificates to each other and to clients, as clients do to
// them, and that take users of one operator only.
func TestSecure(t *testing.T) {
	t.Parallel()
	ca, other := newAuthority(t), newAuthority(t)
	config, creds := operator(t)
	_, strange := operator(t)
	n := threeNodes(t, func(i int, o *ServerOptions) { o.Config, o.TLS = config, ca.sign(o.Name) })
	mine := ca.sign("crawler")
	a := end(t, Options{URLs: n.urls(), TLS: mine, Creds: creds}, usual)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := a.Set(ctx, "x", nil, 0); err != nil {
		t.Error(err)
	}
	if got := ok[cluster.Entry](t)(a.Get(ctx, "x")); got.Revision == 0 {
		t.Errorf("%+v", got)
	}
	for what, o := range map[string]Options{
		"no credentials":      {TLS: mine},
		"another operator":    {TLS: mine, Creds: strange},
		"another CA's client": {TLS: TLS{CA: mine.CA, Cert: other.sign("c").Cert, Key: other.sign("c").Key}, Creds: creds},
		"another CA's server": {TLS: other.sign("d"), Creds: creds},
		"expired certificate": {TLS: ca.signUntil("late", time.Now().Add(-time.Minute)), Creds: creds},
		"no certificate":      {TLS: TLS{CA: mine.CA}, Creds: creds},
		"no such file":        {TLS: mine, Creds: filepath.Join(t.TempDir(), "none")},
	} {
		o.URLs = n.urls()
		short, done := context.WithTimeout(ctx, 3*time.Second)
		b, err := Connect(short, o)
		done()
		if err == nil {
			t.Errorf("%s: connected", what)
			b.Close()
		} else {
			t.Logf("%s: %v", what, err)
		}
	}
}

func TestServerOptions(t *testing.T) {
	for what, o := range map[string]ServerOptions{
		"needs a name":        {Listen: "127.0.0.1:0", Dir: "x"},
		"missing port":        {Name: "n", Listen: "127.0.0.1", Dir: "x"},
		"invalid syntax":      {Name: "n", Listen: "127.0.0.1:x", Dir: "x"},
		"value out of range":  {Name: "n", Listen: "127.0.0.1:99999", Dir: "x"},
		"no such file":        {Name: "n", Listen: "127.0.0.1:0", Dir: "x", Config: "/none"},
		"needs a certificate": {Name: "n", Listen: "127.0.0.1:0", Dir: "x", TLS: TLS{CA: "/none"}},
	} {
		if _, err := StartServer(o); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q: %v", what, err)
		}
	}
}
