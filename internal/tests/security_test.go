package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// namedTests matches a package in code quotes and the tests named after it.
	namedTests = regexp.MustCompile("`([a-z/]+)`((?:,? *Test[A-Za-z0-9]+)+)")
	testName   = regexp.MustCompile(`Test[A-Za-z0-9]+`)
)

// TestSecurityRows checks the table of attacks in doc/security.md. Each row names the tests of its defence,
// and they exist in the packages that it names.
func TestSecurityRows(t *testing.T) {
	data, err := os.ReadFile("../../doc/security.md")
	if err != nil {
		t.Fatal(err)
	}
	dirs := testFolders(t)
	rows, faults := checkSecurityRows(string(data), func(pkg, test string) bool {
		declared := regexp.MustCompile(`(?m)^func ` + test + `\(`)
		for dir, code := range dirs {
			if (dir == pkg || strings.HasSuffix(dir, "/"+pkg)) && declared.MatchString(code) {
				return true
			}
		}
		return false
	})
	for _, fault := range faults {
		t.Errorf("doc/security.md: %s", fault)
	}
	if rows < 20 {
		t.Errorf("%d rows found, the table has more", rows)
	}
}

// A row without a test, or with one that does not exist, is found.
func TestSecurityRowsAreChecked(t *testing.T) {
	const table = "| attacker | attempt | defence | test |\n|---|---|---|---|\n| a | b | c | `x/y` TestOne, TestTwo, `z` TestThree |\n| a | b | without | |\n| a | b | elsewhere | `z` TestOne |\n"
	_, faults := checkSecurityRows(table, func(pkg, test string) bool {
		return pkg == "x/y" && (test == "TestOne" || test == "TestTwo") || pkg == "z" && test == "TestThree"
	})
	if len(faults) != 2 || !strings.Contains(faults[0], "without") || !strings.Contains(faults[1], "TestOne") {
		t.Errorf("faults: %q", faults)
	}
}

// checkSecurityRows returns the number of rows of attacks in a document, and their errors.
func checkSecurityRows(document string, exists func(pkg, test string) bool) (rows int, faults []string) {
	for line := range strings.Lines(document) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || strings.HasPrefix(cells[0], "---") || strings.TrimSpace(cells[0]) == "attacker" || strings.TrimSpace(cells[0]) == "attack on 875db2c" {
			continue
		}
		rows++
		named := 0
		for _, match := range namedTests.FindAllStringSubmatch(cells[3], -1) {
			for _, test := range testName.FindAllString(match[2], -1) {
				named++
				if !exists(match[1], test) {
					faults = append(faults, fmt.Sprintf("package %s has no %s, of the row on %s", match[1], test, strings.TrimSpace(cells[2])))
				}
			}
		}
		if named == 0 || named != len(testName.FindAllString(cells[3], -1)) {
			faults = append(faults, "each row needs tests, each after its package: "+strings.TrimSpace(cells[2]))
		}
	}
	return rows, faults
}

// testFolders returns the code of the tests of each folder, by its path from the root.
func testFolders(t *testing.T) map[string]string {
	t.Helper()
	const root = "../.."
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == ".git" {
			if err == nil {
				err = filepath.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		code, err := os.ReadFile(path)
		dir, relErr := filepath.Rel(root, filepath.Dir(path))
		if relErr != nil {
			return relErr
		}
		all[filepath.ToSlash(dir)] += string(code)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
