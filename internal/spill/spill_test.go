package spill

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type value struct {
	N    int
	Text []byte
}

func drained(t *testing.T, s *Values[value]) (all []value) {
	t.Helper()
	for v, err := range s.RemoveAll() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// Values come back in their order, from memory and from the file, and once more after that.
func TestValues(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var s Values[value]
	for _, n := range []int{0, 1, inMemory, inMemory + 1, 3 * inMemory, 2} {
		var want []value
		for i := range n {
			v := value{i, []byte("owl\n\xff" + fmt.Sprint(i))}
			if err := s.Add(v); err != nil {
				t.Fatal(err)
			}
			want = append(want, v)
		}
		if s.Len() != n {
			t.Errorf("Len is %d of %d", s.Len(), n)
		}
		got := drained(t, &s)
		if !slices.EqualFunc(want, got, func(a, b value) bool { return a.N == b.N && string(a.Text) == string(b.Text) }) {
			t.Errorf("%d values came back as %d", n, len(got))
		}
		if s.Len() != 0 || len(drained(t, &s)) != 0 {
			t.Errorf("%d values: not empty after Drain", n)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// An error names the place of the file, and what to change.
func TestValuesWithoutAFolder(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	var s Values[value]
	var err error
	for i := 0; i <= inMemory && err == nil; i++ {
		err = s.Add(value{N: i})
	}
	if err == nil || !strings.Contains(err.Error(), os.TempDir()) || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("error %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
