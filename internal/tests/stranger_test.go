package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestStranger: a program of another module, which has this one by replace, is vetted and
// runs without a network. It is doc/examples/stranger, with the checksums of this module.
func TestStranger(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, from := range map[string]string{"main.go": "doc/examples/stranger/main.go", "go.mod": "doc/examples/stranger/go.mod", "go.sum": "go.sum"} {
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(from)))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(content), "=> ../../..", "=> "+root, 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("vet", "./...")
	if out := run("run", "."); !strings.Contains(out, "100 pages, ") || strings.Contains(out, " 0 targets") || !strings.HasSuffix(out, "ICX 2027-03-01\n") {
		t.Errorf("it prints %s", out)
	}
}
