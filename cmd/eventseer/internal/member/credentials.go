package member

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/cluster/jetstream"
	"github.com/eventseer/eventseer/internal/atomicfile"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Files of the credentials of a bus, in the folder BusDir of a data directory.
const (
	BusDir        = "bus"            // 0700
	authorityFile = "authority.json" // keys that issue and revoke; on one machine
	nodeFile      = "node.json"      // needed by each node; on every machine with a node
	credsSuffix   = ".creds"
	lockFile      = "lock.db" // locked by the process that changes the others
)

// lockWait is how long a change of the keys waits for another process.
const lockWait = 10 * time.Second

// lockClusterKeys locks the keys of a cluster against changes by other processes. It returns the unlock
// function. Without it, one of two concurrent additions would be lost.
func lockClusterKeys(a *app.App) (unlock func() error, err error) {
	if err := os.MkdirAll(filepath.Join(a.Config.Data, BusDir), 0o700); err != nil {
		return nil, err
	}
	lock, err := bolt.Open(busFile(a, lockFile), bolt.Options{Kind: "bus", Timeout: lockWait})
	if err != nil {
		return nil, fmt.Errorf("lock the keys of the cluster: %w", err)
	}
	return lock.Close, nil
}

// busFile returns the path of a file of the bus.
func busFile(a *app.App, name string) string { return filepath.Join(a.Config.Data, BusDir, name) }

// writeBusFile writes a file that only its owner can read.
func writeBusFile(a *app.App, name string, data []byte) error {
	if err := os.MkdirAll(filepath.Join(a.Config.Data, BusDir), 0o700); err != nil {
		return err
	}
	return atomicfile.WritePrivate(busFile(a, name), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// maxBusFile bounds a file of keys.
const maxBusFile = 16 << 20

// readBusFile decodes a JSON file. A file that others can read is rejected, because it gives
// control over the cluster.
func readBusFile(a *app.App, name string, to any) error {
	path := busFile(a, name)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
		return fmt.Errorf("%w: %s has mode %04o: other users of this machine may have read the keys of the cluster in it; run `chmod 600` on it, and if they have read it, create new keys with `eventseer control init`", app.ErrRefused, path, info.Mode().Perm())
	case info.Size() > maxBusFile:
		return fmt.Errorf("%s has %d bytes, too many for a key file", path, info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// writeAuthority stores an authority, and the part that nodes need.
func writeAuthority(a *app.App, keys *jetstream.Authority) error {
	all, err := json.MarshalIndent(keys, "", "  ")
	if err != nil {
		return err
	}
	node, err := json.MarshalIndent(keys.Node, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(writeBusFile(a, authorityFile, all), writeBusFile(a, nodeFile, node))
}

// readAuthority reads the authority of the data directory.
func readAuthority(a *app.App) (*jetstream.Authority, error) {
	keys := new(jetstream.Authority)
	err := readBusFile(a, authorityFile, keys)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: no keys of a cluster in %s: --data must name the directory of the manager in which `eventseer control init` created them", app.ErrRefused, filepath.Join(a.Config.Data, BusDir))
	}
	return keys, err
}

// InitBus creates the keys of a cluster and credentials for its first members: managers and readers, and
// with anyCrawler also crawlers of any name. It returns an error if there are keys.
func InitBus(a *app.App, anyCrawler bool) (err error) {
	unlock, err := lockClusterKeys(a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if _, err := os.Lstat(busFile(a, nodeFile)); err == nil {
		return fmt.Errorf("%w: %s exists already, and every holder of its credentials is admitted. Remove the folder to create new credentials for all", app.ErrRefused, busFile(a, nodeFile))
	}
	keys, err := jetstream.NewAuthority(a.Config.Bucket)
	if err != nil {
		return err
	}
	for _, r := range jetstream.Roles() {
		name := string(r)
		if r == jetstream.RoleCrawler {
			if !anyCrawler {
				continue
			}
			name = jetstream.AnyName
		}
		if _, err := issueCredentials(a, keys, r, name, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// issueCredentials creates credentials, stores their holder, and writes them to a file.
func issueCredentials(a *app.App, keys *jetstream.Authority, role jetstream.Role, name string, expires time.Time) (path string, err error) {
	creds, err := keys.IssueCredentials(role, name, a.Now(), expires)
	if err != nil {
		return "", app.MarkUsage(err)
	}
	if err := writeAuthority(a, keys); err != nil {
		return "", err
	}
	file := name
	if name == jetstream.AnyName {
		file = string(role)
	}
	return busFile(a, file+credsSuffix), writeBusFile(a, file+credsSuffix, creds)
}

// IssueCredentials creates credentials for a member of the cluster whose keys are in the data
// directory, and returns their file. A zero valid means that they never expire.
func IssueCredentials(a *app.App, role, name string, valid time.Duration) (path string, err error) {
	if _, err := readAuthority(a); err != nil {
		return "", err // before a lock creates a folder without keys
	}
	unlock, err := lockClusterKeys(a)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	keys, err := readAuthority(a)
	if err != nil {
		return "", err
	}
	var expires time.Time
	if valid != 0 {
		expires = a.Now().Add(valid)
	}
	return issueCredentials(a, keys, jetstream.Role(role), name, expires)
}

// A Revocation names whom the nodes are to refuse. One of its fields may be "".
type Revocation struct {
	Name        string // all credentials of this name
	Certificate string // the certificate in this PEM file, and others of its key
}

// String names what is revoked.
func (r Revocation) String() string {
	return strings.Join(slices.DeleteFunc([]string{r.Name, r.Certificate}, func(s string) bool { return s == "" }), " and ")
}

// RevokeAccess revokes credentials, a certificate, or both, and informs the nodes.
func RevokeAccess(ctx context.Context, a *app.App, r Revocation) error {
	keys, err := revokeKeys(a, r)
	if err != nil {
		return err
	}
	nodes, err := keys.PushAccessRules(ctx, jetstream.Options{URLs: app.SplitList(a.Config.Nats), TLS: TLSSettings(a.Config)})
	if err != nil {
		return fmt.Errorf("%s is revoked in %s, but no node of %s accepted the revocation: %w; revoke again when the nodes run", r, busFile(a, authorityFile), a.Config.Nats, err)
	}
	a.Logf("%s is revoked; nodes that refuse it: %d", r, nodes)
	return nil
}

// revokeKeys changes the keys in the data directory.
func revokeKeys(a *app.App, r Revocation) (keys *jetstream.Authority, err error) {
	if keys, err = readAuthority(a); err != nil {
		return nil, err // before a lock creates a folder without keys
	}
	unlock, err := lockClusterKeys(a)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if keys, err = readAuthority(a); err != nil {
		return nil, err
	}
	if r.Name != "" {
		err := keys.RevokeCredentials(r.Name, a.Now())
		before := slices.ContainsFunc(keys.Issued, func(i jetstream.Issued) bool { return i.Name == r.Name })
		if err != nil && (!before || !errors.Is(err, jetstream.ErrNotIssued)) { // nodes that were down are informed again
			return nil, err
		}
	}
	if r.Certificate != "" {
		if err := revokeCertificate(a, keys, r.Certificate); err != nil {
			return nil, err
		}
	}
	return keys, writeAuthority(a, keys)
}

// revokeCertificate revokes the certificate in a file, but not the one that this command shows to nodes.
func revokeCertificate(a *app.App, keys *jetstream.Authority, path string) error {
	cert, err := jetstream.ReadCertificate(path)
	if err != nil {
		return err
	}
	if own := a.Config.NatsCert; own != "" {
		shown, err := jetstream.ReadCertificate(own)
		if err != nil {
			return err
		}
		if bytes.Equal(shown.RawSubjectPublicKeyInfo, cert.RawSubjectPublicKeyInfo) {
			return fmt.Errorf("%w: %s has the key of %s, with which this command connects to the nodes; set --nats-cert and --nats-key to another", app.ErrRefused, path, own)
		}
	}
	return keys.RevokeCertificate(cert, a.Now())
}

// NodeAccess returns the access list of a node of NATS in this process: it allows holders of
// credentials from `control issue`. On loopback the first start creates the keys.
func NodeAccess(a *app.App) (*jetstream.NodeAccess, error) {
	access := new(jetstream.NodeAccess)
	err := readBusFile(a, nodeFile, access)
	if !errors.Is(err, fs.ErrNotExist) {
		return access, err
	}
	host, _, err := net.SplitHostPort(a.Config.NatsListen)
	if err != nil || !app.IsLoopback(host) || a.Config.NatsCluster != "" {
		return nil, fmt.Errorf("%w: %s is missing, which lists the members that this node admits; `eventseer control init` creates it on one machine, then copy it to the others", app.ErrRefused, busFile(a, nodeFile))
	}
	// On a single machine, a user who can read the credentials of one crawler can read those of all
	// crawlers.
	if err := InitBus(a, true); err != nil && !IsFile(busFile(a, nodeFile)) { // another process may have been first
		return nil, err
	}
	return access, readBusFile(a, nodeFile, access)
}

// credentialsPath returns the credentials file of a process in a role. It is that of the config,
// otherwise one for its name or role in the data directory, otherwise "".
func credentialsPath(a *app.App, role jetstream.Role) string {
	if a.Config.NatsCreds != "" {
		return a.Config.NatsCreds
	}
	for _, name := range []string{Name(a.Config), string(role), string(jetstream.RoleManager)} {
		path := busFile(a, name+credsSuffix)
		if who, err := jetstream.ReadHolder(path); err == nil && (who.Role == role || who.Role == jetstream.RoleManager) {
			return path
		}
	}
	return ""
}

// CrawlerCredentials returns the flags at the end of a command that starts a crawler on this machine.
func CrawlerCredentials(a *app.App) string {
	if path := busFile(a, string(jetstream.RoleCrawler)+credsSuffix); IsFile(path) {
		return " --nats-creds " + path
	}
	return "" // issued by another program: left to the operator
}
