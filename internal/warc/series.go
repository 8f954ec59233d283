package warc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// nameOf names file n of a recording that is rotated.
func nameOf(prefix string, n int) string { return fmt.Sprintf("%s-%05d.warc.gz", prefix, n) }

// Series returns the files of a recording in the order they were written: path
// itself if it is a file, else those that a Writer with MaxSize made of the
// prefix path. It is empty where there are none.
func Series(path string) ([]string, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return []string{path}, nil
	}
	numbers, err := numbersOf(path)
	if err != nil {
		return nil, err
	}
	files := make([]string, len(numbers))
	for i, n := range numbers {
		files[i] = nameOf(path, n)
	}
	return files, nil
}

// lastOf returns the number of the last file of a series, 0 if there is none.
func lastOf(prefix string) (int, error) {
	numbers, err := numbersOf(prefix)
	if err != nil || len(numbers) == 0 {
		return 0, err
	}
	return numbers[len(numbers)-1], nil
}

// numbersOf returns the numbers of a series' files, in order.
func numbersOf(prefix string) ([]int, error) {
	entries, err := os.ReadDir(filepath.Dir(prefix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var numbers []int
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), filepath.Base(prefix)+"-")
		digits, warc := strings.CutSuffix(rest, ".warc.gz")
		n, numErr := strconv.Atoi(digits)
		if ok && warc && numErr == nil && n > 0 && e.Name() == filepath.Base(nameOf(prefix, n)) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}
