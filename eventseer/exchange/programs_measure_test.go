//go:build measure

package exchange

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/eventstest"
	"github.com/eventseer/eventseer/internal/freeport"
)

// TestCalendarsInPrograms opens a calendar of 1,000 calls in three programs and five time zones. The
// programs are khal, a CalDAV client of a Radicale server, and icalendar for Python. A deadline without a time zone is
// shown on the printed day in all of them, and one with a zone on the day of its moment there. It
// needs khal, radicale, python3-caldav and python3-icalendar.
func TestCalendarsInPrograms(t *testing.T) {
	events := eventstest.Events(32, 1000, testNow)
	var p eventseer.Publication = publication()
	for _, e := range events {
		p.Entries = append(p.Entries, eventseer.Entry{Event: e})
	}
	text := written(t, "ics", p, "")
	zones := []string{"UTC", "America/Los_Angeles", "Europe/Oslo", "Asia/Kolkata", "Pacific/Kiritimati"}
	got := openInPrograms(t, text, zones)
	sheet := calendarSheet{host: hostOf(p.Base, p.Self, p.Home)}
	for _, zone := range zones {
		for program, days := range got[zone] {
			whole, timed, wrong := 0, 0, 0
			for _, e := range events {
				for _, d := range datesOf(eventseer.Entry{Event: e}) {
					if d.Kind != eventseer.Abstract && d.Kind != eventseer.Submission {
						continue
					}
					want := string(d.Date)
					if d.Instant.IsZero() {
						whole++
					} else {
						timed++
						want = d.Instant.In(eventseer.NamedZone(zone)).Format(time.DateOnly)
					}
					if shown := days[sheet.dateUID(e, d.id)]; shown != want {
						if wrong++; wrong <= 3 {
							t.Errorf("%s in %s shows %s on %q, want %s", program, zone, sheet.dateUID(e, d.id), shown, want)
						}
					}
				}
			}
			t.Logf("%-9s in %-19s: %d entries, %d of days without a zone, %d with one, %d on another day", program, zone, len(days), whole, timed, wrong)
			if whole < 100 || timed < 100 {
				t.Errorf("%d days without a zone and %d with one say too little", whole, timed)
			}
		}
	}
}

// openInPrograms returns by time zone and program the day on which each entry is shown.
func openInPrograms(t *testing.T, text []byte, zones []string) (days map[string]map[string]map[string]string) {
	t.Helper()
	dir, address := t.TempDir(), freeport.Addr(t, "127.0.0.1")
	if err := os.WriteFile(filepath.Join(dir, "calls.ics"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	server := exec.CommandContext(t.Context(), "radicale", "--server-hosts", address, "--storage-filesystem-folder", filepath.Join(dir, "server"), "--auth-type", "none")
	if err := server.Start(); err != nil {
		t.Fatalf("radicale: %v (apt-get install khal radicale python3-caldav python3-icalendar)", err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait() // it was killed
	})
	for range 100 {
		connection, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = connection.Close()
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	script, err := filepath.Abs("testdata/programs.py")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, append([]string{script, "calls.ics", "http://" + address + "/"}, zones...)...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("programs.py: %v\n%s", err, said.String())
	}
	if err := json.Unmarshal(out, &days); err != nil {
		t.Fatal(err)
	}
	return days
}
