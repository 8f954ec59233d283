package member

import (
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
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/cluster/jetstream"
	"github.com/eventseer/eventseer/internal/atomicfile"
)

// Files of the credentials of a bus, in the folder BusDir of a data directory.
const (
	BusDir        = "bus"            // 0700
	authorityFile = "authority.json" // keys that issue and revoke; of one machine
	nodeFile      = "node.json"      // what each node needs; of every machine with a node
	credsSuffix   = ".creds"
)

// busFile is the path of a file of the bus.
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

// readBusFile reads JSON. A file that others can read is refused: who read it may rule the
// cluster.
func readBusFile(a *app.App, name string, to any) error {
	path := busFile(a, name)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
		return fmt.Errorf("%w: %s has mode %04o: others on this machine may have read the keys of the cluster in it; `chmod 600` it, and make new ones with `eventseer control init` if they may have", app.ErrRefused, path, info.Mode().Perm())
	case info.Size() > maxBusFile:
		return fmt.Errorf("%s has %d bytes, more than keys have", path, info.Size())
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

// writeAuthority keeps an authority, and what nodes need of it.
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
		return nil, fmt.Errorf("%w: no keys of a cluster in %s: --data names the directory of the manager in which `eventseer control init` made them", app.ErrRefused, filepath.Join(a.Config.Data, BusDir))
	}
	return keys, err
}

// InitBus makes the keys of a cluster and credentials for its first members: managers,
// readers, and crawlers of any name. It refuses where there are keys.
func InitBus(a *app.App) error {
	if _, err := os.Lstat(busFile(a, nodeFile)); err == nil {
		return fmt.Errorf("%w: %s exists already, and every holder of its credentials is let in. Remove the folder to make new credentials for all", app.ErrRefused, busFile(a, nodeFile))
	}
	keys, err := jetstream.NewAuthority(a.Config.Bucket)
	if err != nil {
		return err
	}
	for _, r := range jetstream.Roles() {
		name := string(r)
		if r == jetstream.RoleCrawler {
			name = jetstream.AnyName
		}
		if _, err := issue(a, keys, r, name, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// issue makes credentials, keeps whom they are of, and writes them to a file.
func issue(a *app.App, keys *jetstream.Authority, role jetstream.Role, name string, expires time.Time) (path string, err error) {
	creds, err := keys.Issue(role, name, a.Now(), expires)
	if err != nil {
		return "", app.Usage(err)
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

// IssueCredentials makes credentials for a member of the cluster whose keys are in the data
// directory, and returns their file. A zero valid means for ever.
func IssueCredentials(a *app.App, role, name string, valid time.Duration) (path string, err error) {
	keys, err := readAuthority(a)
	if err != nil {
		return "", err
	}
	var expires time.Time
	if valid != 0 {
		expires = a.Now().Add(valid)
	}
	return issue(a, keys, jetstream.Role(role), name, expires)
}

// RevokeCredentials revokes all credentials of a name and tells the nodes.
func RevokeCredentials(ctx context.Context, a *app.App, name string) error {
	keys, err := readAuthority(a)
	if err != nil {
		return err
	}
	err = keys.Revoke(name, a.Now())
	before := slices.ContainsFunc(keys.Issued, func(i jetstream.Issued) bool { return i.Name == name })
	switch {
	case errors.Is(err, jetstream.ErrNotIssued) && before: // nodes that were down are told again
	case err != nil:
		return err
	default:
		if err := writeAuthority(a, keys); err != nil {
			return err
		}
	}
	nodes, err := keys.Push(ctx, jetstream.Options{URLs: SplitList(a.Config.Nats), TLS: TLS(a.Config)})
	if err != nil {
		return fmt.Errorf("%s is revoked in %s, but no node of %s took it: %w; say it again when they are up", name, busFile(a, authorityFile), a.Config.Nats, err)
	}
	a.Logf("%s is revoked; nodes that cut it off: %d", name, nodes)
	return nil
}

// NodeAccess is whom a node of NATS in this process lets in: who has credentials that
// `control issue` made. On loopback the first start makes the keys.
func NodeAccess(a *app.App) (*jetstream.NodeAccess, error) {
	access := new(jetstream.NodeAccess)
	err := readBusFile(a, nodeFile, access)
	if !errors.Is(err, fs.ErrNotExist) {
		return access, err
	}
	host, _, err := net.SplitHostPort(a.Config.NatsListen)
	if err != nil || !app.IsLoopback(host) || a.Config.NatsCluster != "" {
		return nil, fmt.Errorf("%w: %s is not there, which says whom this node lets in: `eventseer control init` makes it on one machine, copy it to the others", app.ErrRefused, busFile(a, nodeFile))
	}
	if err := InitBus(a); err != nil {
		return nil, err
	}
	return access, readBusFile(a, nodeFile, access)
}

// credentials returns the credentials file of a process in a role. It is that of the config, else
// one of its name or role in the data directory, else "".
func credentials(a *app.App, role jetstream.Role) string {
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

// CrawlerCredentials is the end of the command that starts a crawler on this machine.
func CrawlerCredentials(a *app.App) string {
	if path := busFile(a, string(jetstream.RoleCrawler)+credsSuffix); IsFile(path) {
		return " --nats-creds " + path
	}
	return "" // of another issuer: the operator knows
}
