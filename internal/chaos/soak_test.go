//go:build linux

package chaos_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/eventseer/publish/mailertest"
	"github.com/eventseer/eventseer/internal/freeport"
)

// soakVariable sets how long TestSoak makes trouble, as a duration of Go. Without it the test is skipped.
const soakVariable = "EVENTSEER_SOAK"

const (
	soakRound   = time.Minute // between kills of the service
	callsARound = 3
	soakDiskMB  = 400
	soakSim     = "hosts=30,pages=100000,seed=7"
)

// TestSoak runs a service with crawl, monitor and mail, and a cluster, over generated and hostile
// webs. Meanwhile processes are killed, the disk fills, and the connections to the mail server and
// to the bus break. In the end nothing that was answered is lost, every reader has the mail about
// their call, all databases are clean, and processes need what they needed in the first minute.
func TestSoak(t *testing.T) {
	text := os.Getenv(soakVariable)
	if text == "" {
		t.Skipf("a long proof: %s=48m by .ci/nightly; TestKillServe and TestKilledCrawler are short cases", soakVariable)
	}
	long, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s=%s: %v", soakVariable, text, err)
	}
	rounds := max(2, int(long/soakRound))
	s := newSoak(t, rounds)
	ctx, cancel := context.WithTimeout(t.Context(), long+15*time.Minute)
	defer cancel()
	s.start(ctx)
	first := s.readNeeds(ctx, "after the first minute")
	for n := range rounds {
		s.publishCalls(n + 2)
		s.makeTrouble(ctx, n)
	}
	s.heal()
	for _, m := range s.all() { // so that all but one are as young as in the first minute
		if m != s.survivor {
			m.signal(syscall.SIGKILL)
		}
	}
	s.kills++
	s.waitForAnswers(ctx)
	last := s.readNeeds(ctx, "at the end")
	for name, before := range first {
		before.compare(t, name, last[name])
	}
	s.stopAll()
	s.judge()
}

// A soak is the service, the cluster, and their acknowledged work.
type soak struct {
	*fleet
	t                   *testing.T
	web                 *soakWeb
	mails               *mailertest.Server
	smtp, bus           *flappingProxy
	disk                soakDisk
	service, manager    *member
	killed, survivor    *member // crawlers
	serviceURL, siteURL string
	random              *rand.Rand
	kills               int
	filled              int

	calls   map[string]string // identifiers of events that the service has answered, by word
	events  map[string]bool   // identifiers of events that the cluster's site has answered
	watched []string          // URLs whose addition was confirmed
}

func newSoak(t *testing.T, rounds int) *soak {
	dir := t.TempDir()
	s := &soak{
		fleet: newFleet(t, program(t), dir, loopback{}), t: t, web: newSoakWeb(t, callsARound*(rounds+1)), mails: mailertest.Start(t),
		random: rand.New(rand.NewPCG(30, 3)), calls: map[string]string{}, events: map[string]bool{},
	}
	s.disk = newSoakDisk(t, s.data("service"), soakDiskMB)
	s.smtp = newFlappingProxy(t, s.mails.Addr())
	s.makeReaders()
	address := freeport.Addr(t, "127.0.0.1")
	s.serviceURL = "http://" + address
	s.service = s.add("service", 0, "serve", "--data", s.data("service"), "--listen", address, "--seeds", s.seeds(), "--sources", s.web.lists.URL+"/calls",
		"--contact", "ops@eventseer.example", "--allow-private", "--host-delay", "100ms", "--dumps=false", "--crawl-per-day", "0", "--progress", "none")
	s.service.env = []string{"EVENTSEER_SMTP_SERVER=" + s.smtp.addr(), "EVENTSEER_SMTP_TLS=none", "EVENTSEER_MAIL_FROM=Seer <seer@seer.example>", "EVENTSEER_BASE_URL=http://localhost/"}

	web, nats, site := freeport.Addr(t, "127.0.0.1"), freeport.Addr(t, "127.0.0.1"), freeport.Addr(t, "127.0.0.1")
	s.bus = newFlappingProxy(t, nats)
	s.siteURL = "http://" + site
	s.fleet.web = s.add("web", 0, "web", "serve", "--sim", soakSim, "--listen", web, "--host-delay", "1s", "--report", s.report())
	s.manager = s.add("m1", 0, "control", "--data", s.data("m1"), "--name", "m1", "--nats-listen", nats, "--listen", site, "--sim", soakSim,
		"--host-delay", "1s", "--settle", "2s", "--lease", "30s", "--partitions", "16", "--strategy", "breadth-first")
	s.nodes = []*member{s.manager}
	for _, name := range []string{"w1", "w2"} {
		s.workers = append(s.workers, s.add(name, 0, "worker", "--data", s.data(name), "--name", name, "--nats", "nats://"+s.bus.addr(),
			"--nats-creds", filepath.Join(s.data("m1"), "bus", name+".creds"), "--sim", soakSim+",at="+web, "--workers", "4", "--progress", "none"))
	}
	s.killed, s.survivor = s.workers[0], s.workers[1]
	s.workers = append(s.workers, s.service) // ended with them
	return s
}

func (s *soak) seeds() string  { return filepath.Join(s.dir, "seeds.txt") }
func (s *soak) report() string { return filepath.Join(s.dir, "report.json") }
func (s *soak) all() []*member { return []*member{s.service, s.manager, s.killed, s.survivor} }

// makeReaders makes a reader for each call.
func (s *soak) makeReaders() {
	s.t.Helper()
	p, err := publish.Open(s.t.Context(), publish.Options{Path: filepath.Join(s.data("service"), "publish.db")})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, word := range s.web.words {
		a, err := p.MakeUser(s.t.Context(), word+"@readers.example")
		if err == nil {
			_, err = p.SaveList(s.t.Context(), eventseer.List{Account: a.ID, Name: word, Query: word, Rhythm: eventseer.Immediate})
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// publishCalls publishes the calls of the first rounds, which the service crawls from its next start on.
func (s *soak) publishCalls(rounds int) {
	s.t.Helper()
	s.web.writeSeeds(s.t, s.seeds(), min(callsARound*rounds, len(s.web.words)))
}

// start starts all processes.
func (s *soak) start(ctx context.Context) {
	s.publishCalls(1)
	s.fleet.web.run()
	s.service.run()
	s.manager.run()
	creds := filepath.Join(s.data("m1"), "bus", "manager.creds")
	s.waitFor(ctx, "the cluster has keys", func() bool { return exec.Command("test", "-s", creds).Run() == nil })
	for _, m := range []*member{s.killed, s.survivor} {
		s.run(0, "control", "issue", "crawler", m.name, "--data", s.data("m1"))
		m.run()
	}
	s.waitFor(ctx, "both sites answer", func() bool { return s.status(s.serviceURL+"/healthz") == 200 && s.status(s.siteURL+"/healthz") == 200 })
	// What processes need at first is measured once they have read their models and some pages, also on a loaded machine.
	s.waitFor(ctx, "the cluster's site has events", func() bool { s.noteAnswers(ctx); return len(s.events) >= 10 })
	for _, m := range []*member{s.service, s.killed, s.survivor} {
		s.waitFor(ctx, m.name+" has fetched pages", func() bool {
			n, err := s.needsOf(ctx, m)
			return err == nil && n.data > 20*bytesOfPage
		})
	}
}

// run runs a command and checks its exit code, unless want is negative.
func (s *soak) run(want int, args ...string) (ok bool) {
	s.t.Helper()
	cmd := exec.Command(s.program, args...)
	cmd.Env = append(os.Environ(), "HOME="+s.dir)
	out, err := cmd.CombinedOutput()
	if err != nil && want >= 0 {
		s.t.Errorf("eventseer %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return err == nil
}

// makeTrouble makes the trouble of a round, which takes soakRound, and records the responses meanwhile.
func (s *soak) makeTrouble(ctx context.Context, n int) {
	end := time.Now().Add(soakRound)
	steps := []struct {
		after time.Duration
		what  string
		do    func()
	}{
		{5 * time.Second, "a page to watch", func() { s.watchPage(n) }},
		{10 * time.Second, "the mail server refuses", func() { s.smtp.set(refuses) }},
		{15 * time.Second, "the bus is cut", func() { s.bus.set(refuses) }},
		{22 * time.Second, "the bus stalls, the mail server stalls", func() { s.bus.set(stalls); s.smtp.set(stalls) }},
		{28 * time.Second, "bus and mail server are back", func() { s.bus.set(passes); s.smtp.set(passes) }},
		{30 * time.Second, "the disk is full, every second round", func() { s.fillDisk(n) }},
		{45 * time.Second, "the disk has space", func() { s.freeDisk(n) }},
		{time.Duration(46+s.random.IntN(12)) * time.Second, "kill -9", func() { s.kill(n) }},
	}
	began := time.Now()
	for len(steps) > 0 || time.Now().Before(end) {
		if ctx.Err() != nil {
			s.t.Fatal(ctx.Err())
		}
		if len(steps) > 0 && time.Since(began) >= steps[0].after {
			steps[0].do()
			steps = steps[1:]
			continue
		}
		s.noteAnswers(ctx)
		rest(ctx, time.Second)
	}
	s.t.Logf("%s: round %d: %d of %d calls answered, %d letters, %d events of the cluster, %d watched; starts: service %d, m1 %d, w1 %d, w2 %d",
		time.Now().Format(time.TimeOnly), n+1, len(s.calls), s.web.published.Load(), len(s.mails.Letters()), len(s.events), len(s.watched),
		s.service.count(), s.manager.count(), s.killed.count(), s.survivor.count())
}

// kill kills the service, and one crawler or the manager of the cluster in some rounds.
func (s *soak) kill(n int) {
	s.kills++
	s.service.signal(syscall.SIGKILL)
	if n%2 == 1 {
		s.killed.signal(syscall.SIGKILL)
	}
	if n%5 == 4 {
		s.manager.signal(syscall.SIGKILL)
	}
}

func (s *soak) fillDisk(n int) {
	if n%2 == 0 {
		s.filled++
		if err := s.disk.fill(s.service); err != nil {
			s.t.Errorf("fill the disk: %v", err)
		}
	}
}

func (s *soak) freeDisk(n int) {
	if n%2 == 0 {
		if err := s.disk.free(s.service); err != nil {
			s.t.Errorf("free the disk: %v", err)
		}
	}
}

// watchPage adds a page to the monitor. A command that fails has promised nothing.
func (s *soak) watchPage(n int) {
	at := fmt.Sprintf("%s/watched/%d", s.web.lists.URL, n)
	if s.run(-1, "monitor", "add", "--data", s.data("service"), at) {
		s.watched = append(s.watched, at)
	}
}

// heal ends all trouble.
func (s *soak) heal() {
	s.smtp.set(passes)
	s.bus.set(passes)
}

// noteAnswers asks the sites for events, and remembers those that they answer. A site that is down answers nothing.
func (s *soak) noteAnswers(ctx context.Context) {
	for _, word := range s.web.words[:s.web.published.Load()] {
		if s.calls[word] == "" {
			if ids := s.ask(ctx, s.serviceURL, url.Values{"q": {word}, "all": {"1"}, "fields": {"id"}}); len(ids) > 0 {
				s.calls[word] = ids[0]
			}
		}
	}
	for _, id := range s.ask(ctx, s.siteURL, url.Values{"all": {"1"}, "sort": {"added"}, "limit": {"100"}, "fields": {"id"}}) {
		s.events[id] = true
	}
}

// ask returns the identifiers of the events that a site answers.
func (s *soak) ask(ctx context.Context, site string, q url.Values) (ids []string) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, site+"/api/v1/events.json?"+q.Encode(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Events []struct {
			ID string `json:"id"`
		} `json:"events"`
	}
	if resp.StatusCode != http.StatusOK || json.NewDecoder(resp.Body).Decode(&answer) != nil {
		return nil
	}
	for _, e := range answer.Events {
		ids = append(ids, e.ID)
	}
	return ids
}

// status returns the status of a page, 0 without a response.
func (s *soak) status(at string) int {
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Get(at)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// waitForAnswers waits until all calls are answered and all readers have their mail.
func (s *soak) waitForAnswers(ctx context.Context) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 6*time.Minute)
	defer cancel()
	for n := 0; ; n++ {
		s.noteAnswers(ctx)
		missing := s.withoutLetter()
		if len(missing) > 0 && n%5 == 4 {
			if err := s.tryMails(ctx); err != nil {
				s.t.Logf("try waiting mails: %v", err)
			}
		}
		if len(missing) == 0 && len(s.calls) == len(s.web.words) {
			return
		}
		if ctx.Err() != nil {
			s.t.Errorf("%d of %d calls are answered; without a letter: %v", len(s.calls), len(s.web.words), missing)
			return
		}
		rest(ctx, 2*time.Second)
	}
}

// retryForm finds the forms of the operator's page by which a waiting mail is tried again.
var retryForm = regexp.MustCompile(`name="form" value="([^"]+)"><input type="hidden" name="action" value="retry"><input type="hidden" name="subject" value="([^"]+)"`)

// tryMails lets the service send the mails that wait, as an operator does when a mail server works
// again. A mail whose first three tries all were while the server refused waits for an hour.
func (s *soak) tryMails(ctx context.Context) error {
	token, err := os.ReadFile(filepath.Join(s.data("service"), "admin-token"))
	if err != nil {
		return err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	client := &http.Client{Jar: jar, Timeout: 10 * time.Second}
	send := func(method, path string, form url.Values) (page []byte, err error) {
		r, err := http.NewRequestWithContext(ctx, method, s.serviceURL+path, strings.NewReader(form.Encode()))
		if err != nil {
			return nil, err
		}
		if form != nil {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		resp, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		page, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		if err = errors.Join(err, resp.Body.Close()); err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s %s: %s", method, path, resp.Status)
		}
		return page, err
	}
	if _, err := send(http.MethodGet, "/admin?"+url.Values{"token": {strings.TrimSpace(string(token))}}.Encode(), nil); err != nil {
		return err
	}
	page, err := send(http.MethodGet, "/admin/mail", nil)
	for _, form := range retryForm.FindAllSubmatch(page, -1) {
		subject := html.UnescapeString(string(form[2]))
		s.t.Logf("the operator lets mail %s be tried now", subject)
		_, failed := send(http.MethodPost, "/admin/mail", url.Values{"form": {html.UnescapeString(string(form[1]))}, "action": {"retry"}, "subject": {subject}, "back": {""}})
		err = errors.Join(err, failed)
	}
	return err
}

// withoutLetter names the calls whose readers have no mail.
func (s *soak) withoutLetter() (words []string) {
	got := map[string]bool{}
	for _, l := range s.mails.Letters() {
		got[l.To[0]] = true
	}
	for _, word := range s.web.words {
		if !got[word+"@readers.example"] {
			words = append(words, word)
		}
	}
	return words
}

// stopAll ends all processes as an operator does.
func (s *soak) stopAll() {
	for _, m := range append(append([]*member{}, s.workers...), s.manager) {
		began := time.Now()
		m.stop()
		if took := time.Since(began); took > 30*time.Second {
			s.t.Errorf("%s ended %v after the signal", m.name, took)
		}
	}
	s.fleet.web.stop()
}

// judge checks the results. Each process starts once more to prove that its acknowledged work is there.
func (s *soak) judge() {
	s.t.Helper()
	for _, name := range []string{"service", "m1", "w1", "w2"} {
		s.run(0, "check", "--data", s.data(name))
	}
	backup := filepath.Join(s.dir, "backup.tar.zst")
	s.run(0, "backup", "create", backup, "--data", s.data("service"))
	s.run(0, "backup", "verify", backup)
	if len(s.events) == 0 || len(s.watched) == 0 || s.filled == 0 {
		s.t.Errorf("%d events of the cluster and %d watched pages were answered, the disk was full %d times: nothing is shown", len(s.events), len(s.watched), s.filled)
	}
	sites := []struct {
		dir string
		ids []string
	}{{"service", nil}, {"m1", nil}}
	for _, id := range s.calls {
		sites[0].ids = append(sites[0].ids, id)
	}
	for id := range s.events {
		sites[1].ids = append(sites[1].ids, id)
	}
	for _, site := range sites {
		address := freeport.Addr(s.t, "127.0.0.1")
		m := s.add(site.dir+"-again", 0, "serve", "--data", s.data(site.dir), "--parts", "web", "--listen", address, "--progress", "none")
		m.run()
		ctx, cancel := context.WithTimeout(s.t.Context(), 3*time.Minute)
		s.waitFor(ctx, site.dir+" answers again", func() bool { return s.status("http://"+address+"/healthz") == 200 })
		cancel()
		lost := 0
		for _, id := range site.ids {
			if code := s.status("http://" + address + "/e/" + url.PathEscape(id)); code != 200 {
				lost++
				s.t.Errorf("%s: event %s was answered before, now status %d", site.dir, id, code)
			}
		}
		m.stop()
		s.t.Logf("%s: of %d events that were answered %d are lost", site.dir, len(site.ids), lost)
	}
	out, err := exec.Command(s.program, "monitor", "list", "--data", s.data("service"), "--format", "jsonl").Output()
	if err != nil {
		s.t.Errorf("monitor list: %v", err)
	}
	for _, at := range s.watched {
		if !strings.Contains(string(out), strconv.Quote(at)) {
			s.t.Errorf("the monitor has lost %s", at)
		}
	}
	s.judgeLetters()
	s.judgeLogs()
	var report struct{ Fetched, Violations, Duplicates int }
	data, err := os.ReadFile(s.report())
	if err = errors.Join(err, json.Unmarshal(data, &report)); err != nil || report.Violations > 0 || report.Fetched == 0 {
		s.t.Errorf("the generated web: %+v, %v", report, err)
	}
	s.t.Logf("%d kills of the service, the disk was full %d times; the cluster fetched %d pages, %d again, none too soon", s.kills, s.filled, report.Fetched, report.Duplicates)
}

// judgeLogs checks that no process ended by a panic, or reported damage.
func (s *soak) judgeLogs() {
	for _, m := range append(s.all(), s.fleet.web) {
		log, err := os.ReadFile(m.log)
		if err != nil {
			s.t.Error(err)
		}
		for _, sign := range []string{"panic:", "fatal error:", "the file is damaged", "SIGBUS"} {
			if n := strings.Count(string(log), sign); n > 0 {
				at := strings.Index(string(log), sign)
				s.t.Errorf("%s: %q %d times, first:\n%.3000s", m.name, sign, n, log[at:])
			}
		}
	}
}

// judgeLetters checks that a reader has one mail, or the same again after a kill.
func (s *soak) judgeLetters() {
	ids, again := map[string]string{}, 0
	for _, l := range s.mails.Letters() {
		switch known := ids[l.To[0]]; known {
		case "":
			ids[l.To[0]] = l.ID()
		case l.ID():
			again++
		default:
			s.t.Errorf("%s has two letters: %q\n%.2000s", l.To[0], l.Subject(), l.Text())
		}
	}
	// Each connection that breaks may lose the response to a mail that has arrived, as each kill may.
	if most := 3 * s.kills; again > most {
		s.t.Errorf("%d letters came again, at most %d may", again, most)
	}
	s.t.Logf("%d letters, %d of them again", len(s.mails.Letters()), again)
}

// readNeeds measures for a minute the resources of the processes, and returns the minimum of each figure.
func (s *soak) readNeeds(ctx context.Context, when string) map[string]needs {
	s.t.Helper()
	least := map[string]needs{}
	end := time.Now().Add(soakRound)
	for time.Now().Before(end) && ctx.Err() == nil {
		rest(ctx, 10*time.Second)
		s.noteAnswers(ctx)
		for _, m := range s.all() {
			now, err := s.needsOf(ctx, m)
			if err != nil {
				s.t.Logf("%s: %v", m.name, err)
				continue
			}
			if l, ok := least[m.name]; ok {
				now = now.least(l)
			}
			least[m.name] = now
		}
	}
	if len(least) < len(s.all()) {
		s.t.Fatalf("%s: only of %d processes is known what they use", when, len(least))
	}
	return least
}
