package member

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/cluster/jetstream"
)

// Only their owner can read the keys, and files that others can read are not used.
func TestKeysArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes of POSIX")
	}
	a := &app.App{Stdout: io.Discard, Stderr: io.Discard, Now: time.Now}
	a.Config.Data, a.Config.Bucket = t.TempDir(), "eventseer"
	if err := InitBus(a, true); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(a.Config.Data, BusDir)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 6 {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.Chmod(filepath.Join(dir, nodeFile), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := NodeAccess(a); !errors.Is(err, app.ErrRefused) {
		t.Errorf("keys that others can read: %v", err)
	}
}

// A cluster of several machines has no credentials for crawlers of any name. Those of one crawler open nothing to
// another.
func TestCrawlersHaveNames(t *testing.T) {
	t.Parallel()
	a := &app.App{Stdout: io.Discard, Stderr: io.Discard, Now: time.Now}
	a.Config.Data, a.Config.Bucket = t.TempDir(), "eventseer"
	if err := InitBus(a, false); err != nil {
		t.Fatal(err)
	}
	path, err := IssueCredentials(a, "crawler", "w1", 0)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(a.Config.Data, BusDir, "*"+credsSuffix))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		switch who, err := jetstream.ReadHolder(file); {
		case err != nil:
			t.Error(err)
		case who.Name == jetstream.AnyName:
			t.Errorf("%s is for a %s of any name", file, who.Role)
		case file == path && (who.Role != jetstream.RoleCrawler || who.Name != "w1"):
			t.Errorf("%s is of %s %s", file, who.Role, who.Name)
		}
	}
	a.Config.NatsCreds, a.Config.Nats, a.Config.Name = path, "nats://127.0.0.1:1", "w2"
	if _, err := ConnectToBus(t.Context(), a, jetstream.RoleCrawler); !errors.Is(err, jetstream.ErrForbidden) {
		t.Errorf("w2 with the credentials of w1: %v", err)
	}
}

// A certificate is revoked alone or with credentials, again without effect, but not the one with
// which the command connects. If one of the two cannot be revoked, nothing is.
func TestRevokeCertificate(t *testing.T) {
	t.Parallel()
	a := &app.App{Stdout: io.Discard, Stderr: io.Discard, Now: time.Now}
	a.Config.Data, a.Config.Bucket = t.TempDir(), "eventseer"
	if err := InitBus(a, true); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	own, stolen := makeCertificate(t, filepath.Join(dir, "m1.pem")), makeCertificate(t, filepath.Join(dir, "w1.pem"))
	a.Config.NatsCert = own
	for _, c := range []struct {
		r     Revocation
		want  error
		after int
	}{
		{Revocation{Certificate: own}, app.ErrRefused, 0},
		{Revocation{Name: "reader", Certificate: own}, app.ErrRefused, 0},
		{Revocation{Name: "reader", Certificate: filepath.Join(dir, "none.pem")}, fs.ErrNotExist, 0},
		{Revocation{Name: "w9", Certificate: stolen}, jetstream.ErrNotIssued, 0},
		{Revocation{Certificate: stolen}, nil, 1},
		{Revocation{Name: "reader", Certificate: stolen}, nil, 1},
		{Revocation{Name: "reader", Certificate: stolen}, nil, 1},
	} {
		_, err := revokeKeys(a, c.r)
		if !errors.Is(err, c.want) {
			t.Errorf("%v: %v", c.r, err)
		}
		keys, err := readAuthority(a)
		if err != nil {
			t.Fatal(err)
		}
		readers := slices.ContainsFunc(keys.Issued, func(of jetstream.Issued) bool { return of.Name == "reader" && of.Revoked.IsZero() })
		if len(keys.Certificates) != c.after || readers == (c.want == nil && c.r.Name == "reader") {
			t.Errorf("%v: %d certificates are revoked, the reader's credentials hold: %v", c.r, len(keys.Certificates), readers)
		}
	}
}

// makeCertificate writes a certificate that signs itself.
func makeCertificate(t *testing.T, path string) string {
	t.Helper()
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(nil, c, c, public, key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Of credentials that are issued and revoked at the same time none is lost.
func TestIssueAtOnce(t *testing.T) {
	t.Parallel()
	a := &app.App{Stdout: io.Discard, Stderr: io.Discard, Now: time.Now}
	a.Config.Data, a.Config.Bucket = t.TempDir(), "eventseer"
	if err := InitBus(a, false); err != nil {
		t.Fatal(err)
	}
	const n = 8
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			name := fmt.Sprintf("w%d", i)
			if _, err := IssueCredentials(a, "crawler", name, 0); err != nil {
				t.Error(err)
			}
			if i%2 == 1 {
				if _, err := revokeKeys(a, Revocation{Name: name}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	keys, err := readAuthority(a)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		name := fmt.Sprintf("w%d", i)
		if !slices.ContainsFunc(keys.Issued, func(of jetstream.Issued) bool { return of.Name == name && of.Revoked.IsZero() == (i%2 == 0) }) {
			t.Errorf("%s is not among those issued, or not revoked as it was", name)
		}
	}
}
