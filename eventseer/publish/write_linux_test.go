package publish

import (
	"os"
	"syscall"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/message"
)

// A disk rejects all writes while a mail is being sent. No further mail is sent, nor the same one repeatedly.
// Once the disk is repaired, each reader has their mail, and one of them the same mail twice.
func TestDiskFailsWhileSending(t *testing.T) {
	w := newWorld(t)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var file *os.File
	w.open(func(o *Options) {
		o.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
			f, err := os.OpenFile(name, flag, mode)
			file = f
			return f, err
		}
	})
	for _, reader := range []string{"ann@x.example", "bob@x.example", "cyd@x.example"} {
		w.subscribe(reader, eventseer.List{Query: "crawling", Rhythm: eventseer.Immediate})
	}
	w.store.put(call("a-2027", "Crawling", "2027-02-01"), eventseer.Change{New: true})
	readOnly, err := os.Open(w.path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = readOnly.Close() }() // only read
	w.mail.fail = func(message.Email) error {
		w.mail.fail = nil
		return syscall.Dup3(int(readOnly.Fd()), int(file.Fd()), syscall.O_CLOEXEC)
	}
	for range 5 {
		if _, err := w.Publish(t.Context()); err == nil {
			t.Error("a pass that could not write reported success")
		}
	}
	first := w.mail.taken()
	if len(first) != 1 {
		t.Errorf("%d letters went out of a process that could note none: %v", len(first), subjects(first))
	}
	if err := w.RequestSignIn(t.Context(), "192.0.2.1", "eve@x.example", eventseer.List{}); err == nil {
		t.Error("a link that could not be kept was promised")
	}
	_ = w.Close() // it cannot write its pending changes
	w.open()
	w.publish()
	ids := map[string]string{}
	for _, l := range append(w.mail.taken(), first...) {
		if known := ids[l.To]; known != "" && (known != l.ID || l.To != first[0].To) {
			t.Errorf("%s has the letters %s and %s", l.To, known, l.ID)
		}
		ids[l.To] = l.ID
	}
	if len(ids) != 3 {
		t.Errorf("letters to %v, want three readers", ids)
	}
}
