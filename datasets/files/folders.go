package files

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/eventseer/eventseer/datasets"
)

// manifestFile is the name of the file that records the source of each file in folders written by
// newFolderWriter.
const manifestFile = "manifest.tsv"

// MaxFile is the largest number of bytes read from a file in a folder.
const MaxFile = 64 << 20

// maxManifest is the largest size of a manifest, in bytes.
const maxManifest = 256 << 20

// filesOfFolders returns the files below a folder or in a tar file. The class of a file is its folder. A file
// without a known extension is read as a message if it begins with a mail header, as those of 20
// Newsgroups do, otherwise as text.
func (s *Source) filesOfFolders(ctx context.Context, input string) iter.Seq2[datasets.Example, error] {
	return func(yield func(datasets.Example, error) bool) {
		info, err := os.Stat(input)
		if err == nil && info.IsDir() {
			s.filesOfFolder(ctx, input, yield)
			return
		}
		r, err := s.open(input)
		if err != nil {
			yield(datasets.Example{}, err)
			return
		}
		defer func() { _ = r.Close() }() // opened for reading: an error on closing loses nothing
		for files := tar.NewReader(r); ; {
			head, err := files.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(datasets.Example{}, fmt.Errorf("%s: %w: is it a tar file?", input, err))
				return
			}
			name := path.Clean(head.Name)
			if head.Typeflag != tar.TypeReg || isHidden(name) || path.Dir(name) == "." {
				continue
			}
			e, err := s.classFile(ctx, files, name)
			if err == nil {
				err = ctx.Err()
			}
			if !yield(e, err) || ctx.Err() != nil {
				return
			}
		}
	}
}

func isHidden(name string) bool { return strings.HasPrefix(path.Base(name), ".") }

// filesOfFolder is like filesOfFolders for a folder, and passes the examples to yield.
func (s *Source) filesOfFolder(ctx context.Context, dir string, yield func(datasets.Example, error) bool) {
	manifest, err := readManifest(filepath.Join(dir, manifestFile))
	if err != nil {
		yield(datasets.Example{}, err)
		return
	}
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(dir, file)
		name := filepath.ToSlash(rel)
		switch {
		case err == nil && relErr == nil && (d.IsDir() || isHidden(name) || !strings.Contains(name, "/")):
			return ctx.Err()
		case err == nil && relErr == nil:
			var e datasets.Example
			if e, err = s.openClassFile(ctx, file, name); err == nil {
				if l, ok := manifest[name]; ok {
					e.URL, e.Group = l.URL, l.Group
					e.Page.URL, e.Page.Requested = l.URL, l.URL
				}
			}
			if !yield(e, err) {
				return fs.SkipAll
			}
		default:
			if !yield(datasets.Example{}, errors.Join(err, relErr)) {
				return fs.SkipAll
			}
		}
		return ctx.Err()
	})
	if err != nil {
		yield(datasets.Example{}, err)
	}
}

func (s *Source) openClassFile(ctx context.Context, file, name string) (datasets.Example, error) {
	f, err := os.Open(file)
	if err != nil {
		return datasets.Example{}, err
	}
	defer func() { _ = f.Close() }() // opened for reading: an error on closing loses nothing
	return s.classFile(ctx, f, name)
}

// classFile reads one file; name is its path relative to the input folder.
func (s *Source) classFile(ctx context.Context, r io.Reader, name string) (datasets.Example, error) {
	body, err := io.ReadAll(io.LimitReader(r, MaxFile))
	if err != nil {
		return datasets.Example{}, fmt.Errorf("%s: %w", name, err)
	}
	page, err := s.ReadFile(ctx, body, name)
	if err != nil {
		return datasets.Example{}, fmt.Errorf("%s: %w", name, err)
	}
	page.URL, page.Requested = name, name
	return datasets.Example{
		Label: datasets.Label{URL: name, Group: name}, Class: path.Base(path.Dir(name)), Untyped: true, Page: page,
	}, nil
}

// readManifest reads the labels of files, by path. If there is no manifest it returns none.
func readManifest(file string) (map[string]datasets.Label, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading: an error on closing loses nothing
	r := csv.NewReader(io.LimitReader(f, maxManifest))
	r.Comma, r.FieldsPerRecord = '\t', 3
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: a line must have a file, a URL and a group, tab-separated", file, err)
	}
	m := map[string]datasets.Label{}
	for _, row := range rows {
		m[row[0]] = datasets.Label{URL: row[1], Group: row[2]}
	}
	return m, nil
}

// newFolderWriter returns a writer that makes one folder per class below dir, with numbered files and a
// manifest.
func newFolderWriter(dir string) datasets.Writer {
	n := 0
	var manifest bytes.Buffer
	rows := csv.NewWriter(&manifest)
	rows.Comma = '\t'
	return datasets.Writer{
		Write: func(e datasets.Example, class string) error {
			folder, err := folderName(class)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
				return err
			}
			n++
			source, markup := e.SourceMarkup()
			name := fmt.Sprintf("%s/%06d.txt", folder, n)
			if markup {
				name = fmt.Sprintf("%s/%06d.html", folder, n)
				source = "\ufeff" + source // a byte order mark, because the source is UTF-8 now, whatever charset the page declares
			}
			if err := rows.Write([]string{name, e.URL, e.Group}); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(source), 0o644)
		},
		Flush: func() error {
			rows.Flush()
			return errors.Join(rows.Error(), os.WriteFile(filepath.Join(dir, manifestFile), manifest.Bytes(), 0o644))
		},
	}
}

// folderName returns the name of the folder for a class. It returns an error if there can be none.
func folderName(class string) (string, error) {
	if class == "" || strings.HasPrefix(class, ".") || strings.ContainsAny(class, "/\\\x00\n") || len(class) > 200 {
		return "", fmt.Errorf("class %.60q cannot be the name of a folder: rename it", class)
	}
	return class, nil
}
