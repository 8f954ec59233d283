package jetstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/internal/freeport"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// guarded is a node that admits holders of credentials of an authority.
type guarded struct {
	*Authority
	t    *testing.T
	node *Server
	dir  string
}

func newGuarded(t *testing.T) *guarded {
	t.Helper()
	g := &guarded{Authority: ok[*Authority](t)(NewAuthority("eventseer")), t: t, dir: t.TempDir()}
	g.node = ok[*Server](t)(StartServer(ServerOptions{Name: "n1", Listen: "127.0.0.1:0", Dir: t.TempDir(), MaxStore: 8 << 30, Access: &g.Node}))
	t.Cleanup(g.node.Close)
	return g
}

// file issues credentials and writes them to a file.
func (g *guarded) file(role Role, name string, expires time.Time) string {
	g.t.Helper()
	path := filepath.Join(g.dir, string(role)+"-"+strings.ReplaceAll(name, AnyName, "any")+".creds")
	must(g.t, os.WriteFile(path, ok[[]byte](g.t)(g.IssueCredentials(role, name, time.Now(), expires)), 0o600))
	return path
}

func (g *guarded) options(role Role, name, creds string) Options {
	return Options{URLs: []string{g.node.URL()}, Creds: creds, Role: role, Name: name, MaxBytes: 8 << 20}
}

// open opens an end with its own credentials, whose calls wait a short time.
func (g *guarded) open(role Role, name string) *bus {
	g.t.Helper()
	b := end(g.t, g.options(role, name, g.file(role, name, time.Time{})), usual)
	b.time.call = 200 * time.Millisecond
	return b
}

// Managers, crawlers and readers can do their work, each with their own credentials.
func TestRoles(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	early := g.options(RoleCrawler, "w1", g.file(RoleCrawler, "w1", time.Time{}))
	if b, err := Connect(limited(t), early); !errors.Is(err, cluster.ErrNoCluster) {
		t.Errorf("a crawler before any manager: %v, %v", b, err)
	}
	m := g.open(RoleManager, "m1")
	w := g.open(RoleCrawler, "w1")
	any := end(t, g.options(RoleCrawler, "w2", g.file(RoleCrawler, AnyName, time.Time{})), usual)
	r := g.open(RoleReader, "r1")
	set(t, m, cluster.OrderKey, "crawl", 0)
	for i, b := range []*bus{w, any} {
		name := []string{"w1", "w2"}[i]
		set(t, b, cluster.WorkerPrefix+name, "beat", 0)
		rev := set(t, b, cluster.PartKey(i), "part", 0)
		must(t, b.Delete(limited(t), cluster.PartKey(i), rev))
		entries := startWatch(t, limited(t), b)
		if e := <-entries; e.Key != cluster.OrderKey {
			t.Errorf("%s watches %+v", name, e)
		}
		must(t, b.Publish(limited(t), i, "1", []byte("links")))
		c := ok[cluster.Consumer](t)(b.Consume(limited(t), i))
		ms := ok[[]cluster.Message](t)(c.Next(limited(t), 10, time.Second))
		if len(ms) != 1 || string(ms[0].Data) != "links" || ms[0].Ack() != nil {
			t.Errorf("%s takes %v", name, ms)
		}
		must(t, c.Close())
		if l := ok[cluster.Backlog](t)(b.Backlog(limited(t))); l.Ever != uint64(i+1) {
			t.Errorf("%+v", l)
		}
		must(t, b.Announce(limited(t), name+".e", []byte("event of "+name)))
		must(t, b.PutObject(limited(t), "state", strings.NewReader("of "+name)))
		object := ok[interface{ Close() error }](t)(b.GetObject(limited(t), "state"))
		must(t, object.Close())
		must(t, b.DeleteObject(limited(t), "state"))
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() {
			served <- b.Serve(ctx, cluster.PageQuestion+name, func(_ context.Context, q []byte, part func([]byte) error) error {
				return errors.Join(part(q), part([]byte(name)))
			})
		}()
		for _, asker := range []*bus{m, r} {
			got := ""
			for got == "" { // until the node knows the server
				err := asker.Request(limited(t), cluster.PageQuestion+name, []byte("q "), func(p []byte) error { got += string(p); return nil })
				if err != nil && !errors.Is(err, cluster.ErrNoKey) {
					t.Fatal(err)
				}
			}
			if got != "q "+name {
				t.Errorf("%s answers %q", name, got)
			}
		}
		stop()
		<-served
	}
	must(t, m.Announce(limited(t), "m1.e", []byte("of a manager")))
	after := uint64(0)
	for _, want := range []string{"w1", "w2", ""} {
		a := ok[cluster.Announcement](t)(m.Announced(limited(t), after))
		if after = a.Number; a.From != want {
			t.Errorf("%q was written by %q, want %q", a.Data, a.From, want)
		}
	}
	if all := ok[map[string]cluster.Entry](t)(cluster.ReadAll(limited(t), r)); len(all) < 3 || string(all[cluster.OrderKey].Value) != "crawl" {
		t.Errorf("a reader sees %v", all)
	}
}

// A client with the credentials of a crawler or a reader, or none, speaks to the node itself. It
// can do nothing that is reserved for a manager or another crawler.
func TestRogue(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	m := g.open(RoleManager, "m1")
	set(t, m, cluster.OrderKey, "crawl", 0)
	must(t, m.Publish(limited(t), 1, "1", []byte("links")))
	must(t, m.Announce(limited(t), "m1.e", []byte("an event")))
	w1, r1 := g.open(RoleCrawler, "w1"), g.open(RoleReader, "r1")
	ok[cluster.Consumer](t)(w1.Consume(limited(t), 1))
	api := func(b *bus, subject, data string) string {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if answer, err := b.nc.RequestWithContext(ctx, "$JS.API."+subject, []byte(data)); err == nil {
			t.Errorf("%s came to the node, which says %s", subject, answer.Data)
		}
		return "$JS.API." + subject
	}
	write := func(b *bus, subject string) string {
		if _, err := b.storeMessage(limited(t), &nats.Msg{Subject: subject, Data: []byte("forged")}, subject); !errors.Is(err, ErrForbidden) {
			t.Errorf("write %s: %v", subject, err)
		}
		return subject
	}
	listen := func(b *bus, subject string) string {
		_, err := b.nc.SubscribeSync(subject)
		must(t, errors.Join(err, b.nc.Flush()))
		return subject
	}
	for what, c := range map[string]struct {
		by *bus
		do func(*bus) (subject string)
	}{
		"a crawler gives an order":             {w1, func(b *bus) string { return write(b, "$KV.eventseer.order") }},
		"a crawler leads":                      {w1, func(b *bus) string { return write(b, "$KV.eventseer.leader") }},
		"a crawler says what is crawled":       {w1, func(b *bus) string { return write(b, "$KV.eventseer.conf") }},
		"a crawler drains another":             {w1, func(b *bus) string { return write(b, "$KV.eventseer.drain.w2") }},
		"a crawler beats as another":           {w1, func(b *bus) string { return write(b, "$KV.eventseer.worker.w2") }},
		"a crawler publishes as a manager":     {w1, func(b *bus) string { return write(b, "eventseer.e.eA") }},
		"a crawler publishes as another":       {w1, func(b *bus) string { return write(b, "eventseer.e.c.w2.eA") }},
		"a crawler deletes a stream":           {w1, func(b *bus) string { return api(b, "STREAM.DELETE.KV_eventseer", "") }},
		"a crawler purges the bucket":          {w1, func(b *bus) string { return api(b, "STREAM.PURGE.KV_eventseer", "") }},
		"a crawler changes a stream":           {w1, func(b *bus) string { return api(b, "STREAM.UPDATE.eventseer-links", "{}") }},
		"a crawler reads all events":           {w1, func(b *bus) string { return api(b, "CONSUMER.CREATE.eventseer-events.x", "{}") }},
		"a crawler listens to all":             {w1, func(b *bus) string { return listen(b, ">") }},
		"a crawler listens to others' inbox":   {w1, func(b *bus) string { return listen(b, "_INBOX.>") }},
		"a crawler serves another's pages":     {w1, func(b *bus) string { return listen(b, "eventseer.q.page.w2") }},
		"a reader gives an order":              {r1, func(b *bus) string { return write(b, "$KV.eventseer.order") }},
		"a reader publishes an event":          {r1, func(b *bus) string { return write(b, "eventseer.e.eA") }},
		"a reader publishes links":             {r1, func(b *bus) string { return write(b, "eventseer.u.1") }},
		"a reader takes links":                 {r1, func(b *bus) string { return api(b, "CONSUMER.MSG.NEXT.eventseer-links.u-1", "1") }},
		"a reader deletes a crawler's objects": {r1, func(b *bus) string { return api(b, "STREAM.PURGE.OBJ_eventseer-states", "") }},
		"a crawler tells who is let in": {w1, func(b *bus) string {
			if n, err := pushAccount(limited(t), b.nc, g.Node.Account); n > 0 || err == nil {
				t.Errorf("%d nodes took it: %v", n, err)
			}
			return claimsSubject
		}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			subject := c.do(c.by)
			for end := time.Now().Add(time.Minute); !c.by.isForbidden(subject); time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the node takes it")
				}
			}
		})
	}
	// The account of managers is not that of the nodes.
	if n, err := pushAccount(limited(t), m.nc, g.Node.Account); n > 0 || !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("a manager tells %d nodes who is let in: %v", n, err)
	}
}

// Consumers deliver messages by the node itself, which no permission binds. A crawler that lets its
// own message be delivered to a key of the bucket must not change it.
func TestForgedReply(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	m := g.open(RoleManager, "m1")
	rev := set(t, m, cluster.OrderKey, `{"do":"crawl"}`, 0)
	w := g.open(RoleCrawler, "w1")
	must(t, w.Publish(limited(t), 1, "1", []byte(`{"do":"finish"}`)))
	ok[cluster.Consumer](t)(w.Consume(limited(t), 1))
	must(t, w.nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT.eventseer-links.u-1", "$KV.eventseer.order", []byte("1")))
	must(t, w.nc.Flush())
	time.Sleep(time.Second)
	if e := ok[cluster.Entry](t)(m.Get(limited(t), cluster.OrderKey)); e.Revision != rev {
		t.Errorf("the order is now %s", e.Value)
	}
}

// Credentials that are missing, of another cluster, changed by hand, or expired admit no client.
// Revoked ones end connections at once, also at a node that starts again with the earlier file.
func TestCredentialsEnd(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	before := g.Node
	g.open(RoleManager, "m1")
	w1, w2 := g.open(RoleCrawler, "w1"), g.open(RoleCrawler, "w2")
	refused := func(what string, o Options) {
		t.Helper()
		if b, err := Connect(limited(t), o); !errors.Is(err, ErrForbidden) {
			t.Errorf("%s: %v", what, err)
			if err == nil {
				must(t, b.Close())
			}
		}
	}
	stolen := filepath.Join(g.dir, "crawler-w1.creds")
	refused("no credentials", g.options(RoleManager, "m2", ""))
	other := newGuarded(t)
	refused("of another cluster", g.options(RoleManager, "m1", other.file(RoleManager, "m1", time.Time{})))
	refused("of another crawler", g.options(RoleCrawler, "w2", stolen))
	refused("of another role", g.options(RoleManager, "w1", stolen))

	text := string(ok[[]byte](t)(os.ReadFile(stolen)))
	token := ok[string](t)(jwt.ParseDecoratedJWT([]byte(text)))
	claims := ok[*jwt.UserClaims](t)(jwt.DecodeUserClaims(token))
	claims.Tags = jwt.TagList{"role:manager", "bucket:eventseer"}
	own := ok[nkeys.KeyPair](t)(nkeys.CreateAccount())
	forged := filepath.Join(g.dir, "forged.creds")
	must(t, os.WriteFile(forged, []byte(strings.Replace(text, token, ok[string](t)(claims.Encode(own)), 1)), 0o600))
	refused("signed by the thief", g.options(RoleManager, "m1", forged))

	past := time.Now().Add(-time.Hour)
	late := filepath.Join(g.dir, "late.creds")
	must(t, os.WriteFile(late, ok[[]byte](t)(g.IssueCredentials(RoleCrawler, "w3", past.Add(-time.Hour), past)), 0o600))
	refused("expired", g.options(RoleCrawler, "w3", late))
	if nc, err := nats.Connect(g.node.URL(), nats.UserCredentials(late)); err == nil {
		nc.Close()
		t.Error("a node lets expired credentials in")
	}

	if _, err := g.IssueCredentials(RoleCrawler, "w.>", time.Now(), time.Time{}); err == nil {
		t.Error("credentials of a name that is a pattern")
	}
	if err := g.RevokeCredentials("w9", time.Now()); !errors.Is(err, ErrNotIssued) {
		t.Errorf("nobody is revoked: %v", err)
	}
	must(t, g.RevokeCredentials("w1", time.Now()))
	if n, err := g.PushAccessRules(limited(t), Options{URLs: []string{g.node.URL()}}); n != 1 || err != nil {
		t.Fatalf("%d nodes were told: %v", n, err)
	}
	if _, err := w1.Set(limited(t), cluster.WorkerPrefix+"w1", []byte("{}"), 0); err == nil {
		t.Error("who was revoked still writes")
	}
	refused("revoked", g.options(RoleCrawler, "w1", stolen))
	set(t, w2, cluster.WorkerPrefix+"w2", "{}", 0)
	fresh := end(t, g.options(RoleCrawler, "w1", g.file(RoleCrawler, "w1", time.Time{})), usual)
	set(t, fresh, cluster.WorkerPrefix+"w1", "{}", 0)

	dir := t.TempDir()
	for _, access := range []*NodeAccess{&g.Node, &before} {
		node := ok[*Server](t)(StartServer(ServerOptions{Name: "n2", Listen: "127.0.0.1:0", Dir: dir, MaxStore: 8 << 30, Access: access}))
		must(t, os.WriteFile(filepath.Join(g.dir, "old.creds"), []byte(text), 0o600))
		if nc, err := nats.Connect(node.URL(), nats.UserCredentials(filepath.Join(g.dir, "old.creds"))); err == nil {
			nc.Close()
			t.Error("a node that started again lets in who is revoked")
		}
		node.Close()
	}
}

// With certificates too the credentials decide the permissions. A manager's certificate does not
// make a crawler a manager, an expired one is refused for all, and a certificate alone does not
// make a node.
func TestCertificatesAndRoles(t *testing.T) {
	t.Parallel()
	ca, g := newAuthority(t), &guarded{Authority: ok[*Authority](t)(NewAuthority("eventseer")), t: t, dir: t.TempDir()}
	n := threeNodes(t, func(_ int, o *ServerOptions) { o.TLS, o.Access = ca.sign(o.Name), &g.Node })
	g.node = n.up[0]
	m := end(t, Options{URLs: n.urls(), TLS: ca.sign("m1"), Creds: g.file(RoleManager, "m1", time.Time{}), MaxBytes: 8 << 20}, usual)
	set(t, m, cluster.OrderKey, "crawl", 0)
	nc, err := nats.Connect(g.node.URL(), nats.UserCredentials(g.file(RoleCrawler, "w1", time.Time{})), secured(t, ca.sign("m1")))
	must(t, err)
	defer nc.Close()
	violated := make(chan error, 1)
	nc.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		select {
		case violated <- err:
		default:
		}
	})
	must(t, nc.Publish("$KV.eventseer.order", []byte(`{"do":"finish"}`)))
	must(t, nc.Flush())
	if err := <-violated; !errors.Is(err, nats.ErrPermissionViolation) {
		t.Error(err)
	}
	manager := nats.UserCredentials(g.file(RoleManager, "m1", time.Time{}))
	for what, opts := range map[string][]nats.Option{
		"an expired certificate": {manager, secured(t, ca.signUntil("m1", time.Now().Add(-time.Minute)))},
		"no credentials":         {secured(t, ca.sign("m1"))},
	} {
		if nc, err := nats.Connect(g.node.URL(), opts...); err == nil {
			nc.Close()
			t.Errorf("%s: connected", what)
		}
	}
	strange := g.Node
	strange.Secret = "guessed"
	o := ServerOptions{Name: "n4", Listen: "127.0.0.1:0", Cluster: freeport.Addr(t, "127.0.0.1"), Routes: []string{n.opts[0].Cluster}, Dir: t.TempDir(), TLS: ca.sign("n4"), Access: &strange}
	rogue := ok[*server.Server](t)(server.NewServer(ok[*server.Options](t)(o.serverOptions())))
	refusal := newRefusals("uthoriz")
	rogue.SetLoggerV2(refusal, false, false, false)
	rogue.Start()
	defer rogue.WaitForShutdown()
	defer rogue.Shutdown()
	<-refusal.first
	eventually(t, "no route of a node without the secret", func() bool { return rogue.NumRoutes() == 0 }) // one that is refused is closed a little later
	eventually(t, "all nodes accept the access rules", func() bool {                                      // on a loaded machine one answers late
		nodes, err := g.PushAccessRules(limited(t), Options{URLs: n.urls(), TLS: ca.sign("m1")})
		return nodes == 3 && err == nil
	})
}

// refusals is a logger of a node that hears of the first error with a text.
type refusals struct {
	with  string
	first chan string
}

func newRefusals(with string) refusals { return refusals{with, make(chan string, 1)} }

func (r refusals) Errorf(f string, v ...any) {
	if text := fmt.Sprintf(f, v...); strings.Contains(text, r.with) {
		select {
		case r.first <- text:
		default:
		}
	}
}
func (r refusals) Noticef(string, ...any) {}
func (r refusals) Warnf(string, ...any)   {}
func (r refusals) Fatalf(string, ...any)  {}
func (r refusals) Debugf(string, ...any)  {}
func (r refusals) Tracef(string, ...any)  {}

// secured shows a certificate.
func secured(t *testing.T, files TLS) nats.Option {
	t.Helper()
	return nats.Secure(ok[*tls.Config](t)(files.loadConfig()))
}
