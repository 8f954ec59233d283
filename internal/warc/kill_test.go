package warc

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestKilledWriter kills a process in the middle of writing. Every record that it reported as written is
// there, and complete.
func TestKilledWriter(t *testing.T) {
	const env = "WARC_TEST_WRITE_TO"
	if path := os.Getenv(env); path != "" {
		writeForEver(path)
	}
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$")
	cmd.Env = append(os.Environ(), env+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := 0
	for lines := bufio.NewScanner(out); said < 50 && lines.Scan(); {
		said++
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // its error reports the kill
	whole := 0
	for _, kind := range types(t, path) {
		if kind == "response" {
			whole++
		}
	}
	if said != 50 || whole < said {
		t.Errorf("%d records said to be written, %d found", said, whole)
	}
	w, err := Create(path, WriterOptions{Now: frozen})
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
}

func writeForEver(path string) {
	w, err := Create(path, WriterOptions{Now: frozen})
	for i := 0; err == nil; i++ {
		err = w.Write(NewResponse(fmt.Sprintf("http://a.example/%d", i), testTime, answer(letters(5000))))
		fmt.Println(i)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
