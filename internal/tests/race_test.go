package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// named are packages with goroutines of which .ci/race names only some tests. The other tests run separate
// processes, or take too long with the race detector.
var named = []string{"classify/train", "cmd/eventseer", "eventseer/store", "eventseer/ui"}

// TestRace compares .ci/race, which divides the tests between the race detector and the plain run,
// with the code. A package with goroutines or locks is listed, and no other is. If it lists only
// some tests, all those that start goroutines are among them.
func TestRace(t *testing.T) {
	listed := raceList(t)
	owner := map[string]string{} // of each named test
	whole := map[string]bool{}   // packages that run with the race detector only
	for _, p := range listPackages(t) {
		if !p.tested() {
			continue
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		tests, ok := listed[name]
		delete(listed, name)
		whole[name] = ok && len(tests) == 0
		u := usesOf(t, p)
		switch {
		case !ok && u.why != "":
			t.Errorf("%s has %s and is not in .ci/race", name, u.why)
		case ok && u.why == "":
			t.Errorf("%s is in .ci/race and has no goroutine and no lock", name)
		case len(tests) > 0 && u.spread != "" && !slices.Contains(named, name):
			t.Errorf("%s has %s: .ci/race must list it without names of tests", name, u.spread)
		}
		for _, test := range tests {
			if !u.tests[test] {
				t.Errorf("%s has no %s, which .ci/race names", name, test)
			}
			owner[test] = name
		}
		if len(tests) == 0 || slices.Contains(named, name) {
			continue
		}
		for _, test := range u.concurrent {
			if !slices.Contains(tests, test) {
				t.Errorf("%s of %s starts goroutines: name it in .ci/race", test, name)
			}
		}
	}
	for name := range listed {
		t.Errorf("%s, which .ci/race lists, does not exist or has no tests", name)
	}
	// The plain run skips the named tests by name, in all packages.
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		for test := range usesOf(t, p).tests {
			if of, ok := owner[test]; ok && of != name && !whole[name] {
				t.Errorf("%s of %s would be skipped: .ci/race names one of %s", test, name, of)
			}
		}
	}
}

// raceList reads .ci/race: the names of tests by package, none for all of them.
func raceList(t *testing.T) map[string][]string {
	t.Helper()
	data, err := os.ReadFile("../../.ci/race")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if _, twice := listed[fields[0]]; twice {
			t.Errorf("%s is twice in .ci/race", fields[0])
		}
		listed[fields[0]] = fields[1:]
	}
	return listed
}

// uses lists what the race detector can watch in a package.
type uses struct {
	why        string          // a goroutine, channel or lock anywhere in it
	spread     string          // a goroutine that is not in the body of a test: of the program or of a helper
	concurrent []string        // the tests, fuzz targets and examples that start goroutines
	tests      map[string]bool // all of them
}

func usesOf(t *testing.T, p goPackage) uses {
	t.Helper()
	u := uses{tests: map[string]bool{}}
	for _, file := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ofTests := strings.HasSuffix(file, "_test.go")
		for _, d := range f.Decls {
			fn, _ := d.(*ast.FuncDecl)
			test := ofTests && fn != nil && fn.Recv == nil && isTest(fn.Name.Name)
			if test {
				u.tests[fn.Name.Name] = true
			}
			goroutine, lock := watched(d)
			switch {
			case goroutine == "":
			case test:
				u.concurrent = append(u.concurrent, fn.Name.Name)
			case ofTests && fn != nil && strings.HasPrefix(fn.Name.Name, "Benchmark"):
				continue // not run
			default:
				u.spread = goroutine + " in " + file
			}
			for _, what := range []string{lock, goroutine} {
				if what != "" {
					u.why = what + " in " + file
				}
			}
		}
	}
	return u
}

func isTest(name string) bool {
	return slices.ContainsFunc([]string{"Test", "Fuzz", "Example"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// watched names a goroutine or a channel and a lock of a declaration, if it has them. The standard library's
// sync.Once and pools do not count as locks of ours.
func watched(d ast.Decl) (goroutine, lock string) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			goroutine = "a go statement"
		case *ast.ChanType:
			goroutine = "a channel"
		case *ast.SelectorExpr:
			x, _ := n.X.(*ast.Ident)
			switch {
			case n.Sel.Name == "Go", n.Sel.Name == "Parallel":
				goroutine = "a call of " + n.Sel.Name
			case x == nil:
			case x.Name == "sync" && !strings.HasPrefix(n.Sel.Name, "Once") && n.Sel.Name != "Pool", x.Name == "atomic":
				lock = x.Name + "." + n.Sel.Name
			case x.Name == "errgroup", x.Name == "synctest", x.Name == "httptest" && strings.HasPrefix(n.Sel.Name, "New") && strings.HasSuffix(n.Sel.Name, "Server"):
				goroutine = x.Name + "." + n.Sel.Name
			}
		}
		return true
	})
	return goroutine, lock
}
