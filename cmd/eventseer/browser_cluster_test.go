package main

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/internal/browsertest"
)

// The operator sees a cluster in a browser and tells it what to do.
func TestBrowserCluster(t *testing.T) {
	t.Parallel()
	browsertest.Need(t)
	dir := t.TempDir()
	const sim = "hosts=8,pages=60,seed=7"
	web := startProcess(t, "web", "serve", "--sim", sim, "--host-delay", "5ms", "--listen", "127.0.0.1:0")
	manager := startProcess(t, "control", "--data", filepath.Join(dir, "m1"), "--name", "m1", "--nats-listen", "127.0.0.1:0", "--sim", sim,
		"--host-delay", "5ms", "--settle", "100ms", "--lease", "1m", "--partitions", "8", "--listen", "127.0.0.1:0")
	nats := busAt(t, manager, filepath.Join(dir, "m1"))
	startProcess(t, append([]string{"worker", "--data", filepath.Join(dir, "w1"), "--name", "w1", "--sim",
		sim + ",at=" + addressIn(t, &web.talk, sim+",at="), "--progress", "none"}, nats("crawler")...)...)
	waitStatus(t, nats, "an end", func(s cluster.Status) bool { return s.Sum.Pages > 50 && s.Sum.Waiting == 0 })
	b := browsertest.Open(t, "http://"+addressIn(t, &manager.out, "http://"))
	token, err := app.ReadToken(filepath.Join(dir, "m1", app.TokenFile))
	if err != nil {
		t.Fatal(err)
	}
	b.Go("/admin?token=" + token)
	checkEach(b, browsertest.Looks(), "/admin/cluster", "/admin/cluster?q=http://nobody.example/")
	b.Go("/admin/cluster")
	if lead := b.Text("main"); !regexp.MustCompile(`m1, leader number [1-9]\d*`).MatchString(lead) { // more on a machine so busy that it lost its lease
		t.Errorf("who leads? %s", lead)
	}
	b.Want("main", "w1")
	b.Press(`form:has(input[value=stop]) button`)
	b.Want("main", "All crawlers got the order to stop.")
	waitStatus(t, nats, "a rest", func(s cluster.Status) bool { return s.Do == cluster.DoStop })
	b.Press(`form:has(input[value=drain]) button`)
	b.Want("main", "w1 hands over what it owns, and ends.")
	waitStatus(t, nats, "the drain", func(s cluster.Status) bool { return s.Workers[0].State != cluster.StateWorking })
}
