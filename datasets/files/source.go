package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/internal/usage"
	"github.com/eventseer/eventseer/webgraph"
)

// A Source describes how a dataset is read. Check fills empty fields according to the name and the
// contents of the file.
type Source struct {
	From    string   // one of ReadFormats
	Pages   []string // inputs with the pages of a labels file
	Class   string   // column with the class
	Group   string   // column of groups
	ID      string   // column with IDs or URLs
	Text    string   // column of texts
	HTML    string   // column of markup
	Missing string   // handling of missing values of vectors: error or zero
	Names   string   // file with the names of components and classes

	Stdin io.Reader // what "-" names
	// ReadPages returns the pages of inputs. The same files must give the same pages.
	ReadPages func(ctx context.Context, inputs []string) iter.Seq2[*webgraph.Page, error]
	// ReadFile reads one file of a folder of files as a page.
	ReadFile func(ctx context.Context, body []byte, name string) (*webgraph.Page, error)
}

// Check completes and validates s for one input.
func (s *Source) Check(input string) (err error) {
	switch {
	case s.Missing != "error" && s.Missing != "zero":
		return usage.Errorf("--missing %s: must be error or zero", s.Missing)
	case s.From == "" && input == "-":
		return usage.Errorf("stdin has no file name that shows its format: give --from %s", strings.Join(ReadFormats, ", "))
	case s.From == "":
		if s.From, err = FormatOf(input); err != nil {
			return err
		}
	case !slices.Contains(ReadFormats, s.From):
		return usage.Errorf("--from %s: the formats are %s", s.From, strings.Join(ReadFormats, ", "))
	}
	if s.From == Labels && len(s.Pages) == 0 {
		return usage.Errorf("%s holds labels only: give the pages with --pages INPUT", input)
	}
	if s.From == Labels && s.Class != "" && !slices.Contains(datasets.Columns[1:], s.Class) {
		return usage.Errorf("--class %s: for labels it must be one of %s", s.Class, strings.Join(datasets.Columns[1:], ", "))
	}
	return nil
}

func (s *Source) columns() datasets.ColumnOptions {
	return datasets.ColumnOptions{Class: s.Class, Group: s.Group, ID: s.ID, MissingZero: s.Missing == "zero"}
}

func (s *Source) textColumns() datasets.TextColumns {
	c := datasets.TextColumns{Text: s.Text, HTML: s.HTML, URL: s.ID, Group: s.Group}
	if !slices.Contains(datasets.Columns, s.Class) {
		c.Label = s.Class
	}
	return c
}

// ClassOf returns the class of an example: the value in the column Class.
func (s *Source) ClassOf(e datasets.Example) string {
	if slices.Contains(datasets.Columns, s.Class) {
		return e.ClassBy(s.Class)
	}
	return e.ClassBy("")
}

// open opens an input, or stdin.
func (s *Source) open(input string) (io.ReadCloser, error) {
	if input == "-" {
		return io.NopCloser(s.Stdin), nil
	}
	return Open(input)
}

// Vectors reads an input of vectors.
func (s *Source) Vectors(input string) (*datasets.Vectors, error) {
	r, err := s.open(input)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // opened for reading: an error on closing loses nothing
	var v *datasets.Vectors
	switch s.From {
	case SVMLight, LIBSVM:
		if v, err = datasets.ReadSVMLight(r, input); err == nil {
			err = s.readNames(v, input)
		}
	case ARFF, ARFFDense:
		v, err = datasets.ReadARFF(r, input, s.columns())
	default:
		v, err = datasets.ReadTable(r, input, separatorOf(s.From), s.columns())
	}
	if errors.Is(err, datasets.ErrMissing) && s.Missing != "zero" {
		err = fmt.Errorf("%w (data convert --missing zero)", err)
	}
	return v, err
}

// readNames reads the names for an svmlight file.
func (s *Source) readNames(v *datasets.Vectors, input string) error {
	path := s.Names
	if path == "" {
		path = input + NamesSuffix
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) && s.Names == "" {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // opened for reading: an error on closing loses nothing
	return v.ReadNames(file, path)
}

// NamesSuffix is appended to the name of an svmlight file to get that of the file with its names.
const NamesSuffix = ".names"

// Examples returns the pages and texts of an input. For a bad one it returns an error, and reading
// continues.
func (s *Source) Examples(ctx context.Context, input string) iter.Seq2[datasets.Example, error] {
	if s.From == Folders {
		return s.filesOfFolders(ctx, input)
	}
	return func(yield func(datasets.Example, error) bool) {
		r, err := s.open(input)
		if err != nil {
			yield(datasets.Example{}, err)
			return
		}
		defer func() { _ = r.Close() }() // opened for reading: an error on closing loses nothing
		switch s.From {
		case Labels:
			s.labelledPages(ctx, r, input, yield)
		case JSONL:
			datasets.ReadJSONL(r, input)(yield)
		case FastText:
			datasets.ReadFastText(r, input)(yield)
		default:
			datasets.ReadTextTable(r, input, separatorOf(s.From), s.textColumns())(yield)
		}
	}
}

// labelledPages passes the pages that a labels file names to yield, and its problems as errors.
func (s *Source) labelledPages(ctx context.Context, r io.Reader, input string, yield func(datasets.Example, error) bool) {
	data, err := datasets.Read(r, input)
	if err != nil {
		yield(datasets.Example{}, err)
		return
	}
	for e := range data.Examples(s.ReadPages(ctx, s.Pages)) {
		if !yield(e, ctx.Err()) {
			return
		}
	}
	for _, p := range data.Problems.First() {
		if !yield(datasets.Example{}, errors.New(p.String())) {
			return
		}
	}
	if more := data.Problems.Len() - len(data.Problems.First()); more > 0 {
		yield(datasets.Example{}, fmt.Errorf("%s: %d more problems", input, more))
	}
}

// HoldsTexts reports whether an input has pages or texts rather than vectors.
func (s *Source) HoldsTexts(input string) (bool, error) {
	if IsVectorFormat(s.From) {
		return false, nil
	}
	if s.From != CSV && s.From != TSV {
		return true, nil
	}
	if input == "-" {
		return s.Text != "" || s.HTML != "", nil
	}
	r, err := Open(input)
	if err != nil {
		return false, err
	}
	defer func() { _ = r.Close() }() // opened for reading: an error on closing loses nothing
	return datasets.IsTextTable(r, input, separatorOf(s.From), s.textColumns()), nil
}

// LabelsOnly reports whether input is a labels file for which no pages are given.
func (s *Source) LabelsOnly(input string) (bool, error) {
	if len(s.Pages) > 0 || input == "-" || s.From != "" && s.From != Labels {
		return false, nil
	}
	format, err := FormatOf(input)
	return format == Labels, err
}
