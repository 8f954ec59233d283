package registry

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/webgraph"
)

// modelOf returns a model file of a task that differs by its seed.
func modelOf(t testing.TB, task string, seed uint64) []byte {
	t.Helper()
	classes, err := classify.Classes(task)
	if err != nil {
		t.Fatal(err)
	}
	v, err := features.FitVectorizer(features.Options{Blocks: []string{features.Body}}, nil, []*features.Document{features.ReadText("call for papers on rivers"), features.ReadText("papers on bridges")})
	if err != nil {
		t.Fatal(err)
	}
	m, err := classify.NewModel(classify.Model{
		Meta:       classify.Meta{Task: task, Algo: "test", Seed: seed, Classes: classes, Counts: make([]int, len(classes)), Program: "test"},
		Vectorizer: v, Classifier: &classify.Linear{Weights: [][]float64{make([]float64, v.Size())}, Bias: []float64{0}},
		Platt: []classify.Platt{{A: -1}, {A: -1}}, Threshold: 0.5,
	})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := classify.WriteModel(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// onlyCFP refuses models of other tasks than cfp.
func onlyCFP(task string, _ []byte) error {
	if task != classify.TaskCFP {
		return fmt.Errorf("%w: task %s", classify.ErrIncompatible, task)
	}
	return nil
}

func testNow() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

func newRegistry(t testing.TB) *Registry {
	t.Helper()
	return New(filepath.Join(t.TempDir(), "models"), onlyCFP, testNow)
}

func mustAdd(t testing.TB, r *Registry, seed uint64) Version {
	t.Helper()
	v, err := r.Add(modelOf(t, classify.TaskCFP, seed), fmt.Sprintf("file%d.model", seed))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func use(t testing.TB, r *Registry, v Version, before int) {
	t.Helper()
	got, err := r.PutInUse(v)
	if err != nil || got.Number != before {
		t.Fatalf("Use(%s) = %s, %v; want before %d", v.Name(), got.Name(), err, before)
	}
	inUse(t, r, v)
}

func inUse(t testing.TB, r *Registry, want Version) {
	t.Helper()
	if got, err := r.InUse(want.Task); err != nil || got != want {
		t.Fatalf("in use: %+v, %v; want %+v", got, err, want)
	}
}

func TestUseAndRollback(t *testing.T) {
	r := newRegistry(t)
	shipped := Version{Task: classify.TaskCFP}
	inUse(t, r, shipped)
	if _, _, err := r.Rollback(classify.TaskCFP); !errors.Is(err, ErrUnknown) {
		t.Errorf("a rollback without history: %v", err)
	}
	a, b := mustAdd(t, r, 1), mustAdd(t, r, 2)
	if again := mustAdd(t, r, 1); again != a || a.Name() != "cfp@1" || b.Name() != "cfp@2" {
		t.Fatalf("versions %+v, %+v and again %+v", a, b, again)
	}
	use(t, r, a, 0)
	use(t, r, b, 1)
	use(t, r, b, 2) // changes nothing
	use(t, r, shipped, 2)
	use(t, r, a, 0)
	for _, want := range []Version{shipped, b, a, shipped} {
		if _, to, err := r.Rollback(classify.TaskCFP); err != nil || to != want {
			t.Fatalf("Rollback to %+v, %v; want %+v", to, err, want)
		}
		inUse(t, r, want)
	}
	if _, _, err := r.Rollback(classify.TaskCFP); !errors.Is(err, ErrUnknown) {
		t.Errorf("a rollback past the first model: %v", err)
	}
}

// TestUnknownFileIsStored replaces a model that was copied into the folder by hand. It becomes a version,
// so that it can be rolled back to.
func TestUnknownFileIsStored(t *testing.T) {
	r := newRegistry(t)
	a := mustAdd(t, r, 1)
	byHand := modelOf(t, classify.TaskCFP, 9)
	if err := os.WriteFile(r.FileInUse(classify.TaskCFP), byHand, 0o644); err != nil {
		t.Fatal(err)
	}
	if v, err := r.InUse(classify.TaskCFP); err != nil || v.Number != 0 || v.Digest != webgraph.DigestOf(byHand) {
		t.Fatalf("in use: %+v, %v", v, err)
	}
	use(t, r, a, 2)
	if _, to, err := r.Rollback(classify.TaskCFP); err != nil || to.Digest != webgraph.DigestOf(byHand) {
		t.Fatalf("Rollback to %+v, %v", to, err)
	}
}

func TestRefusals(t *testing.T) {
	r := newRegistry(t)
	a := mustAdd(t, r, 1)
	for name, data := range map[string][]byte{"no model": []byte("hello"), "of task link": modelOf(t, classify.TaskLink, 1), "empty": nil} {
		if _, err := r.Add(data, "some.model"); err == nil || !strings.Contains(err.Error(), "some.model") {
			t.Errorf("a file that is %s: %v", name, err)
		}
	}
	use(t, r, a, 0)
	b := mustAdd(t, r, 2)
	if err := os.WriteFile(r.Path(b), modelOf(t, classify.TaskCFP, 3), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := r.PutInUse(b); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a stored file that was changed: %v", err)
	}
	inUse(t, r, a)
	for _, text := range []string{"{", `{"format":99}`} {
		if err := os.WriteFile(filepath.Join(r.dir, stateFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Versions(); err == nil || !strings.Contains(err.Error(), stateFile) {
			t.Errorf("state %q: %v", text, err)
		}
	}
}

// TestOneAtATime holds the lock while another registry of the folder changes it.
func TestOneAtATime(t *testing.T) {
	r := newRegistry(t)
	a := mustAdd(t, r, 1)
	other := New(r.dir, onlyCFP, testNow)
	err := r.updateState(func(*state) error {
		_, err := other.PutInUse(a)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "another command") {
		t.Errorf("two changes at once: %v", err)
	}
}

func TestOldVersionsGo(t *testing.T) {
	r := newRegistry(t)
	first := mustAdd(t, r, 1)
	use(t, r, first, 0)
	second := mustAdd(t, r, 2)
	if err := r.SetShadow(second.Name()); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(maxVersions + 5) {
		mustAdd(t, r, 10+seed)
	}
	all, err := r.Versions()
	if err != nil || len(all) != maxVersions || all[0] != first || all[1] != second {
		t.Fatalf("%d versions, the first %+v, %v", len(all), all[:2], err)
	}
	files, err := os.ReadDir(filepath.Join(r.dir, versionsDir))
	if err != nil || len(files) != maxVersions {
		t.Errorf("%d files, %v", len(files), err)
	}
	if v, ok, err := r.ShadowVersion(); err != nil || !ok || v != second {
		t.Errorf("shadow %+v, %t, %v", v, ok, err)
	}
	if err := r.SetShadow("cfp@3"); !errors.Is(err, ErrUnknown) {
		t.Errorf("a shadow that is gone: %v", err)
	}
}

func TestParseName(t *testing.T) {
	for name, ok := range map[string]bool{"cfp@2": true, "page-type@0": true, "cfp": false, "@2": false, "cfp@x": false, "cfp@-1": false, "dir/cfp@2": false} {
		if _, _, got := ParseName(name); got != ok {
			t.Errorf("ParseName(%q) says %t", name, got)
		}
	}
}

// childDir names the folder of models to the process that TestKilled starts.
const childDir = "EVENTSEER_REGISTRY_TEST_DIR"

// TestMain changes the models of a folder without end if TestKilled started the process.
func TestMain(m *testing.M) {
	dir := os.Getenv(childDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	r := New(dir, onlyCFP, testNow)
	versions, err := r.Versions()
	for n := 0; err == nil; n++ {
		fmt.Println(n)
		if n%3 == 2 {
			_, _, err = r.Rollback(classify.TaskCFP)
		} else {
			_, err = r.PutInUse(versions[n%2])
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestKilled kills processes that change the models. Each time one of the versions is in use, the state can
// be read, and the next process continues.
func TestKilled(t *testing.T) {
	r := newRegistry(t)
	use(t, r, mustAdd(t, r, 1), 0)
	mustAdd(t, r, 2)
	for round := range 20 {
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), childDir+"="+r.dir)
		var problems bytes.Buffer
		child.Stderr = &problems
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 1)
		for lines := 0; lines < 3+round; { // killed at another point of a change each time
			if _, err := out.Read(b); err != nil {
				t.Fatalf("round %d ended by itself: %v %s", round, err, problems.String())
			}
			if b[0] == '\n' {
				lines++
			}
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait() // it was killed
		v, err := r.InUse(classify.TaskCFP)
		if err != nil || v.Number == 0 && v.Digest != "" {
			t.Fatalf("round %d: in use: %+v, %v", round, v, err)
		}
		all, err := r.Versions()
		if err != nil || len(all) != 2 {
			t.Fatalf("round %d: %d versions, %v", round, len(all), err)
		}
	}
}
