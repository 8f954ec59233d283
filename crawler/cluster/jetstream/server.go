package jetstream

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
)

// ServerOptions describe a node.
type ServerOptions struct {
	Name    string
	Listen  string   // host:port for clients; port 0 means a free port
	Cluster string   // host:port for the other nodes; "" for a single node
	Routes  []string // host:port of the other nodes
	Dir     string   // of what it stores
	TLS     TLS      // for clients and routes; with a CA both sides must present a certificate
	// Access determines who is admitted: holders of credentials of its Authority, and nodes with its
	// secret. It cannot be combined with Config. Nil leaves this to Config.
	Access *NodeAccess
	// Config is a configuration file of nats-server that is read first, for settings without a field
	// here. It may have users and passwords, or accounts as `nsc generate config --mem-resolver` writes
	// them, whose users have a .creds file. The fields above take precedence. "" admits any client that
	// can connect.
	Config   string
	MaxStore int64 // bytes on disk; zero: what the disk has free
	Log      *slog.Logger
}

// A Server is a node in this process.
type Server struct{ s *server.Server }

const startTimeout = 30 * time.Second

// StartServer starts a node and returns when it accepts clients. A single node syncs each write to disk,
// because it has no replica. Nodes of a cluster sync every two minutes: the memory of a majority survives
// the loss of any one node, and kill -9 of all, but not a power failure of a majority at the same time.
func StartServer(o ServerOptions) (*Server, error) {
	opts, err := o.serverOptions()
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", o.Name, err)
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", o.Name, err)
	}
	if o.Log != nil {
		s.SetLoggerV2(logger{o.Log.With("node", o.Name)}, false, false, false)
	}
	s.Start()
	n := &Server{s}
	if !s.ReadyForConnections(startTimeout) {
		n.Close()
		return nil, fmt.Errorf("node %s: not ready after %v: is the address %s free, and is the folder %s readable?", o.Name, startTimeout, o.Listen, o.Dir)
	}
	if !s.JetStreamEnabled() {
		n.Close()
		return nil, fmt.Errorf("node %s: it cannot store anything: is the folder %s writable?", o.Name, o.Dir)
	}
	return n, nil
}

func (o ServerOptions) serverOptions() (*server.Options, error) {
	opts := &server.Options{}
	if o.Config != "" {
		if err := opts.ProcessConfigFile(o.Config); err != nil {
			return nil, err
		}
	}
	if o.Name == "" || o.Dir == "" {
		return nil, errors.New("a node needs a name and a directory")
	}
	var err error
	opts.ServerName, opts.StoreDir, opts.JetStream = o.Name, o.Dir, true
	opts.NoSigs, opts.DisableJetStreamBanner, opts.NoLog = true, true, o.Log == nil
	if o.MaxStore > 0 {
		opts.JetStreamMaxStore = o.MaxStore
	}
	if opts.Host, opts.Port, err = hostPort(o.Listen); err != nil {
		return nil, err
	}
	if err := o.requireTLS(opts); err != nil {
		return nil, err
	}
	if err := o.authorize(opts); err != nil {
		return nil, err
	}
	if o.Cluster == "" {
		opts.SyncAlways = true
		return opts, nil
	}
	if opts.Cluster.Host, opts.Cluster.Port, err = hostPort(o.Cluster); err != nil {
		return nil, err
	}
	if opts.Cluster.Name == "" {
		opts.Cluster.Name = "eventseer"
	}
	for _, r := range o.Routes {
		if _, _, err := hostPort(r); err != nil {
			return nil, err
		}
		opts.Routes = append(opts.Routes, &url.URL{Scheme: "nats-route", Host: r, User: o.routeUser()})
	}
	return opts, nil
}

// authorize admits only the clients and nodes that Access allows.
func (o ServerOptions) authorize(opts *server.Options) error {
	if o.Access == nil {
		return nil
	}
	if o.Config != "" {
		return errors.New("credentials issued by eventseer and a configuration file of nats-server exclude each other")
	}
	operator, err := jwt.DecodeOperatorClaims(o.Access.Operator)
	if err != nil {
		return fmt.Errorf("access: operator: %w", err)
	}
	if o.Access.Secret == "" {
		return errors.New("access: the secret of the nodes is missing")
	}
	// The node gets account JWTs that it missed while it was down from the other nodes.
	resolver, err := server.NewDirAccResolver(filepath.Join(o.Dir, "accounts"), 0, 0, server.NoDelete)
	if err != nil {
		return fmt.Errorf("access: %w", err)
	}
	account := ""
	for _, token := range []string{o.Access.System, o.Access.Account} {
		if account, err = storeNewer(resolver, operator.Subject, token); err != nil {
			resolver.Close()
			return fmt.Errorf("access: %w", err)
		}
	}
	refuseRevoked(opts, resolver, account)
	opts.TrustedOperators, opts.SystemAccount, opts.AccountResolver = []*jwt.OperatorClaims{operator}, operator.SystemAccount, resolver
	opts.Cluster.Username, opts.Cluster.Password = routeName, o.Access.Secret
	return nil
}

// storeNewer gives an account's JWT to a resolver, unless that has one signed later: of two, the later one
// contains more revocations. It returns the account's name.
func storeNewer(r *server.DirAccResolver, operator, token string) (account string, err error) {
	claims, err := jwt.DecodeAccountClaims(token)
	if err != nil {
		return "", err
	}
	if claims.Issuer != operator {
		return "", fmt.Errorf("account %s is not signed by the operator", claims.Name)
	}
	if have, err := r.LoadAcc(claims.Subject); err == nil {
		if old, err := jwt.DecodeAccountClaims(have); err == nil && old.Issuer == operator && old.IssuedAt > claims.IssuedAt {
			return claims.Subject, nil
		}
	}
	return claims.Subject, r.SaveAcc(claims.Subject, token)
}

// routeName is the user name with which nodes authenticate to each other.
const routeName = "eventseer"

func (o ServerOptions) routeUser() *url.Userinfo {
	if o.Access == nil {
		return nil
	}
	return url.UserPassword(routeName, o.Access.Secret)
}

// requireTLS requires TLS for clients and routes.
func (o ServerOptions) requireTLS(opts *server.Options) error {
	if o.TLS == (TLS{}) {
		return nil
	}
	if o.TLS.Cert == "" {
		return errors.New("TLS: a server needs a certificate and its key")
	}
	conf, err := o.TLS.loadConfig()
	if err != nil {
		return err
	}
	if conf.RootCAs != nil {
		conf.ClientCAs, conf.ClientAuth = conf.RootCAs, tls.RequireAndVerifyClientCert
	}
	opts.TLS, opts.TLSConfig, opts.TLSTimeout, opts.TLSVerify = true, conf, 5, conf.RootCAs != nil
	opts.Cluster.TLSConfig, opts.Cluster.TLSTimeout = conf.Clone(), 5
	return nil
}

func hostPort(s string) (string, int, error) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return "", 0, fmt.Errorf("address: %w", err)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", 0, fmt.Errorf("address %q: %w", s, err)
	}
	if n == 0 {
		return host, server.RANDOM_PORT, nil
	}
	return host, int(n), nil
}

// URL returns the URL for clients of this node.
func (s *Server) URL() string { return s.s.ClientURL() }

// MissingData returns an error that says which data this node's replicas lack, nil if they are complete. No
// other node may be stopped before that. It checks each stream and queue, which takes milliseconds.
func (s *Server) MissingData() error {
	if h := s.s.Healthz(nil); h.Error != "" {
		return errors.New(h.Error)
	}
	return nil
}

// Close stops the node and returns when its storage is closed.
func (s *Server) Close() {
	s.s.Shutdown()
	s.s.WaitForShutdown()
}

// A logger passes the server's log lines to log.
type logger struct{ log *slog.Logger }

func (l logger) Noticef(f string, v ...any) { l.log.Info(fmt.Sprintf(f, v...)) }
func (l logger) Warnf(f string, v ...any)   { l.log.Warn(fmt.Sprintf(f, v...)) }
func (l logger) Fatalf(f string, v ...any)  { l.log.Error(fmt.Sprintf(f, v...)) }
func (l logger) Errorf(f string, v ...any)  { l.log.Error(fmt.Sprintf(f, v...)) }
func (l logger) Debugf(f string, v ...any)  { l.log.Debug(fmt.Sprintf(f, v...)) }
func (l logger) Tracef(f string, v ...any)  { l.log.Debug(fmt.Sprintf(f, v...)) }
