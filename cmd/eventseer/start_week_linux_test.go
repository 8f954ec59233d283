package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/begin"
	"github.com/eventseer/eventseer/internal/nightly"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// weekFields are the fields of the starting points of TestStartWeek, some 70 host names.
const weekFields = "theory,hci,graphics"

// insideKey is set in the process that has its own network.
const insideKey = "EVENTSEER_TEST_INSIDE"

// TestStartWeek runs `eventseer start` as a process of its own on each day of a week. The host
// names of its starting points are answered by a DNS server and a web server on loopback, in a
// network of the test's own. Half of the hosts are down on the first day, some all week. All
// living calls are found, each dead host is asked again each day, and the manners are those of
// the default configuration: robots.txt first, nothing that it closes, five seconds between two
// requests.
func TestStartWeek(t *testing.T) {
	nightly.SkipUnlessNightly(t)
	if os.Getenv(insideKey) == "" {
		runInOwnNetwork(t)
		return
	}
	enterOwnNetwork(t)
	w := newStartWeek(t)
	dir := t.TempDir()
	odd := func(h int) bool { return h%2 == 1 }
	forever := func(h int) bool { return h%10 == 9 }
	for day := range 8 {
		w.setDown(func(h int) bool { return day == 0 && odd(h) || day < 7 && forever(h) })
		w.runDay(dir, day)
	}
	w.checkManners()
}

// runInOwnNetwork runs the test again, in a process with its own network and mounts.
func runInOwnNetwork(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=25m")
	cmd.Env = append(os.Environ(), insideKey+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	var out bytes.Buffer
	cmd.Stdout = io.MultiWriter(&out, t.Output())
	cmd.Stderr = cmd.Stdout
	err := cmd.Run()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
		t.Skipf("this machine allows no network of one's own: %v", err)
	}
	if err != nil || !bytes.Contains(out.Bytes(), []byte("--- PASS: "+t.Name())) {
		t.Errorf("inside: %v", err)
	}
}

// enterOwnNetwork brings loopback up and names the DNS server on it.
func enterOwnNetwork(t *testing.T) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(fd) }()
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		t.Fatal("loopback: ", err)
	}
	resolver := filepath.Join(t.TempDir(), "resolv.conf")
	write(t, resolver, "nameserver 127.0.0.1\n")
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(resolver, "/etc/resolv.conf", "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
}

// A startWeek is the web of TestStartWeek.
type startWeek struct {
	t       *testing.T
	program string         // this binary as eventseer
	trust   string         // file with the certificate of all hosts
	hosts   map[string]int // number by name
	names   []string       // of the hosts, by number
	homes   map[string]int // host by the URL of a starting point

	mu       sync.Mutex
	down     func(host int) bool
	asked    map[int]int // queries for the address of a host since the day began
	requests []weekRequest
}

// A weekRequest is one that came for a host.
type weekRequest struct {
	host int
	path string
	at   time.Time
}

// newStartWeek starts the servers.
func newStartWeek(t *testing.T) *startWeek {
	t.Helper()
	w := &startWeek{t: t, program: selfAs(t, programName), hosts: map[string]int{}, homes: map[string]int{}, asked: map[int]int{}}
	points, err := begin.ChooseStarting(strings.Split(weekFields, ","))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		u, err := url.Parse(p.URL)
		if err != nil {
			t.Fatal(err)
		}
		if _, known := w.hosts[u.Hostname()]; !known {
			w.hosts[u.Hostname()] = len(w.names)
			w.names = append(w.names, u.Hostname())
		}
		w.homes[p.URL] = w.hosts[u.Hostname()]
	}
	if len(w.names) < 60 {
		t.Fatalf("%d host names, want 60", len(w.names))
	}
	names, err := net.ListenPacket("udp", "127.0.0.1:53")
	if err != nil {
		t.Fatal(err)
	}
	go w.serveNames(names)
	secure := &tls.Config{Certificates: []tls.Certificate{w.certificate()}, MinVersion: tls.VersionTLS12}
	t.Cleanup(func() { _ = names.Close() })
	for _, address := range []string{":80", ":443"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: w, TLSConfig: secure, ReadHeaderTimeout: time.Minute}
		serve := func() error { return server.Serve(l) }
		if address == ":443" {
			serve = func() error { return server.ServeTLS(l, "", "") }
		}
		go func() { _ = serve() }() // until Close
		t.Cleanup(func() { _ = server.Close() })
	}
	return w
}

// certificate makes one for all hosts and writes it to w.trust.
func (w *startWeek) certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		w.t.Fatal(err)
	}
	whole := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "hosts of a test"}, DNSNames: w.names,
		NotBefore: time.Now().AddDate(-1, 0, 0), NotAfter: time.Now().AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, whole, whole, key.Public(), key)
	if err != nil {
		w.t.Fatal(err)
	}
	w.trust = filepath.Join(w.t.TempDir(), "trust.pem")
	write(w.t, w.trust, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// setDown sets the hosts that are down from now on, and clears the record of requests.
func (w *startWeek) setDown(down func(host int) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down, w.asked = down, map[int]int{}
}

// serveNames answers queries for addresses. A host that is down has none if its number is a
// multiple of three; the others end each connection.
func (w *startWeek) serveNames(conn net.PacketConn) {
	buffer := make([]byte, 1500)
	for {
		n, from, err := conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if err := m.Unpack(buffer[:n]); err != nil || len(m.Questions) == 0 {
			continue
		}
		q := m.Questions[0]
		m.Header = dnsmessage.Header{ID: m.ID, Response: true, RecursionDesired: true, RecursionAvailable: true}
		m.Additionals = nil
		w.mu.Lock()
		h, known := w.hosts[strings.TrimSuffix(strings.ToLower(q.Name.String()), ".")]
		if known {
			w.asked[h]++
		}
		switch {
		case !known || w.down(h) && h%3 == 0:
			m.RCode = dnsmessage.RCodeNameError
		case q.Type == dnsmessage.TypeA:
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 60},
				Body:   &dnsmessage.AResource{A: [4]byte{127, 1, byte(h >> 8), byte(h)}},
			}}
		}
		w.mu.Unlock()
		if packed, err := m.Pack(); err == nil {
			_, _ = conn.WriteTo(packed, from) // who asked asks again
		}
	}
}

// ServeHTTP answers for all hosts: a robots.txt, home pages, and a call for each.
func (w *startWeek) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	h, known := w.hosts[r.Host]
	w.mu.Lock()
	down := !known || w.down(h)
	if !down {
		w.requests = append(w.requests, weekRequest{h, r.URL.RequestURI(), time.Now()})
	}
	w.mu.Unlock()
	if down {
		panic(http.ErrAbortHandler)
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, home := w.homes[scheme+r.Host+r.URL.RequestURI()]
	switch {
	case home:
		fmt.Fprintf(rw, `<html><title>Series %d</title><body><h1>A series of conferences, number %d</h1><p><a href="/cfp-of-week.html">Call for papers</a> <a href="/private/cfp.html">Members</a></p></body></html>`, h, h)
	case r.URL.Path == "/robots.txt":
		rw.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(rw, "User-agent: *\nDisallow: /private/\n")
	case r.URL.Path == "/cfp-of-week.html":
		fmt.Fprint(rw, weekCall(h))
	default:
		http.NotFound(rw, r)
	}
}

// weekCall is the call of a host: its name, days and place are like no other's.
func weekCall(h int) string {
	things := []string{"Glaciers", "Violins", "Orchards", "Ferries", "Lanterns", "Quarries", "Beehives", "Harbours", "Meteors", "Tapestries"}
	ways := []string{"Ancient", "Acoustic", "Botanical", "Coastal", "Digital", "Electric", "Nomadic", "Painted"}
	places := []string{"Oslo, Norway", "Lyon, France", "Porto, Portugal", "Graz, Austria", "Turku, Finland", "Leeds, United Kingdom", "Osaka, Japan"}
	name := ways[h/len(things)%len(ways)] + " " + things[h%len(things)]
	acronym := "Z" + string(rune('A'+h/26)) + string(rune('A'+h%26)) + "Q"
	day := 1 + h%25
	return strings.NewReplacer("ZQX", acronym, "Zonal Quixotics", name, "quixotics", strings.ToLower(name),
		"14-17 June", fmt.Sprintf("%d-%d %s", day, day+3, time.Month(3+h%9)), "Oslo, Norway", places[h%len(places)]).Replace(localCall)
}

// runDay starts the service on a day. It stops the service when each living call is found and each host that
// is down was requested. The first start gets the contact and the fields as flags, the others nothing.
func (w *startWeek) runDay(dir string, day int) {
	w.t.Helper()
	data := filepath.Join(dir, "data")
	line := []string{"start", "--config", filepath.Join(dir, "config.yaml"), "--data", data}
	if day == 0 {
		line = append(line, "--contact", "ops@site.example", "--fields", weekFields, "--listen", "127.0.0.1:0", "--allow-private")
	}
	now := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC).Add(time.Duration(day) * (24*time.Hour + 5*time.Minute))
	cmd := exec.CommandContext(w.t.Context(), w.program, line...)
	cmd.Env = append(os.Environ(), "HOME="+dir, "SSL_CERT_FILE="+w.trust, "EVENTSEER_NOW="+now.Format(time.RFC3339))
	said := newTalkLog()
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	begun := time.Now()
	missing := w.missing(data)
	for len(missing) > 0 && time.Since(begun) < patience {
		time.Sleep(500 * time.Millisecond)
		missing = w.missing(data)
	}
	if len(missing) > 0 {
		w.t.Errorf("day %d: after %v these are missing: %v\n%s", day, patience, missing, &said)
	}
	w.t.Logf("day %d: %v", day, time.Since(begun).Round(time.Second))
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		w.t.Errorf("day %d: the service ends with %v\n%s", day, err, &said)
	}
}

// missing lists the living hosts whose call the service does not show yet, and the hosts that are down and
// were not requested today.
func (w *startWeek) missing(data string) (all []string) {
	found := map[string]bool{}
	code, calls, said := runCaptured(w.t, "find", "--all", "--format", "jsonl", "--data", data)
	if code != 0 {
		return []string{said} // the store is not there yet
	}
	for line := range strings.Lines(calls) {
		var call struct {
			URL   string
			Pages []string
		}
		if err := json.Unmarshal([]byte(line), &call); err != nil {
			w.t.Fatal(err)
		}
		for _, page := range append(call.Pages, call.URL) {
			if u, err := url.Parse(page); err == nil {
				found[u.Hostname()] = true
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for h, name := range w.names {
		switch down := w.down(h); {
		case down && w.asked[h] == 0:
			all = append(all, name+" (not asked for)")
		case !down && !found[name]:
			all = append(all, name)
		}
	}
	return all
}

// checkManners holds all requests of the week against robots.txt and the default pause.
func (w *startWeek) checkManners() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortStableFunc(w.requests, func(a, b weekRequest) int { return a.at.Compare(b.at) })
	last, robots := map[int]time.Time{}, map[int]bool{}
	for _, r := range w.requests {
		switch {
		case r.path == "/robots.txt":
			robots[r.host] = true
		case !robots[r.host]:
			w.t.Errorf("%s%s was asked for before the robots.txt of its host", w.names[r.host], r.path)
		case strings.HasPrefix(r.path, "/private/"):
			w.t.Errorf("%s%s was asked for, which robots.txt closes", w.names[r.host], r.path)
		}
		if at, ok := last[r.host]; ok && r.at.Sub(at) < 4500*time.Millisecond {
			w.t.Errorf("%s%s came %v after the request before", w.names[r.host], r.path, r.at.Sub(at))
		}
		last[r.host] = r.at
	}
	w.t.Logf("%d hosts, %d requests", len(w.names), len(w.requests))
	if len(robots) != len(w.names) {
		w.t.Errorf("%d of %d hosts were asked for their robots.txt", len(robots), len(w.names))
	}
}
