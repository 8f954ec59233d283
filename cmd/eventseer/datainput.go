package main

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
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/datasets"

	"github.com/spf13/pflag"
)

// dataFlags say how a dataset is read.
type dataFlags struct {
	from, class, group, id, text, html, missing, names string
	pages                                              []string
}

func (f *dataFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.from, "from", "", "format of IN: "+strings.Join(readFormats, ", ")+" (default: by its name)")
	flags.StringArrayVar(&f.pages, "pages", nil, "INPUT that holds the pages of a labels file, may be repeated")
	flags.StringVar(&f.class, "class", "", "the column that names the class; of labels one of "+strings.Join(datasets.Columns[1:], ", ")+" (default page_type; of vectors the last column)")
	flags.StringVar(&f.group, "group", "", "the column of groups in a table or an ARFF file (default group or _group)")
	flags.StringVar(&f.id, "id", "", "the column of IDs or URLs in a table or an ARFF file (default url, id or _id)")
	flags.StringVar(&f.text, "text", "", "the column of texts in a table (default text)")
	flags.StringVar(&f.html, "html", "", "the column of markup in a table (default html)")
	flags.StringVar(&f.missing, "missing", "error", "what becomes of missing values of vectors: error, or zero to count them as 0")
	flags.StringVar(&f.names, "names", "", "names of components and classes of an svmlight file (default IN.names, if it is there)")
}

// check completes and checks f for one input.
func (f *dataFlags) check(input string) (err error) {
	switch {
	case f.missing != "error" && f.missing != "zero":
		return app.Usagef("--missing %s: error or zero", f.missing)
	case f.from == "" && input == "-":
		return app.Usagef("stdin has no name to tell its format by: say --from %s", strings.Join(readFormats, ", "))
	case f.from == "":
		if f.from, err = formatOf(input); err != nil {
			return err
		}
	case !slices.Contains(readFormats, f.from):
		return app.Usagef("--from %s: the formats are %s", f.from, strings.Join(readFormats, ", "))
	}
	if f.from == formatLabels && len(f.pages) == 0 {
		return app.Usagef("%s holds labels only: --pages INPUT must hold the pages", input)
	}
	if f.from == formatLabels && f.class != "" && !slices.Contains(datasets.Columns[1:], f.class) {
		return app.Usagef("--class %s: of labels one of %s", f.class, strings.Join(datasets.Columns[1:], ", "))
	}
	return nil
}

func (f *dataFlags) columns() datasets.ColumnOptions {
	o := datasets.ColumnOptions{Class: f.class, Group: f.group, ID: f.id}
	if f.missing == "zero" {
		o.Missing = datasets.MissingZero
	}
	return o
}

func (f *dataFlags) textColumns() datasets.TextColumns {
	c := datasets.TextColumns{Text: f.text, HTML: f.html, URL: f.id, Group: f.group}
	if !slices.Contains(datasets.Columns, f.class) {
		c.Label = f.class
	}
	return c
}

// className is the class of an example as --class picks it.
func (f *dataFlags) className(e datasets.Example) string {
	if slices.Contains(datasets.Columns, f.class) {
		return e.ClassBy(f.class)
	}
	return e.ClassBy("")
}

// open opens an input, or stdin.
func openInput(a *app.App, input string) (io.ReadCloser, error) {
	if input == "-" {
		return io.NopCloser(a.Stdin), nil
	}
	return openData(input)
}

// vectors reads an input of vectors.
func vectors(a *app.App, f *dataFlags, input string) (*datasets.Vectors, error) {
	r, err := openInput(a, input)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // read only: nothing to lose
	var v *datasets.Vectors
	switch f.from {
	case formatSVMLight, formatLIBSVM:
		if v, err = datasets.ReadSVMLight(r, input); err == nil {
			err = f.readNames(v, input)
		}
	case formatARFF, formatDense:
		v, err = datasets.ReadARFF(r, input, f.columns())
	default:
		v, err = datasets.ReadTable(r, input, comma(f.from), f.columns())
	}
	if errors.Is(err, datasets.ErrMissing) && f.missing != "zero" {
		err = fmt.Errorf("%w (data convert --missing zero)", err)
	}
	return v, err
}

// readNames reads the names that belong to an svmlight file.
func (f *dataFlags) readNames(v *datasets.Vectors, input string) error {
	path := f.names
	if path == "" {
		path = input + namesSuffix
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) && f.names == "" {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // read only: nothing to lose
	return v.ReadNames(file, path)
}

// namesSuffix is added to the name of an svmlight file for that of its names.
const namesSuffix = ".names"

// examples yields the pages and texts of an input. A bad one is yielded as an
// error, and reading goes on.
func examples(ctx context.Context, a *app.App, f *dataFlags, input string) iter.Seq2[datasets.Example, error] {
	switch f.from {
	case formatLabels:
		return labelledPages(ctx, a, f, input)
	case formatFolders:
		return folders(ctx, a, input)
	}
	return func(yield func(datasets.Example, error) bool) {
		r, err := openInput(a, input)
		if err != nil {
			yield(datasets.Example{}, err)
			return
		}
		defer func() { _ = r.Close() }() // read only: nothing to lose
		switch f.from {
		case formatJSONL:
			datasets.ReadJSONL(r, input)(yield)
		case formatFastText:
			datasets.ReadFastText(r, input)(yield)
		default:
			datasets.ReadTextTable(r, input, comma(f.from), f.textColumns())(yield)
		}
	}
}

// labelledPages yields the pages that a labels file names, and what is wrong
// with it as errors.
func labelledPages(ctx context.Context, a *app.App, f *dataFlags, input string) iter.Seq2[datasets.Example, error] {
	return func(yield func(datasets.Example, error) bool) {
		r, err := openInput(a, input)
		if err != nil {
			yield(datasets.Example{}, err)
			return
		}
		defer func() { _ = r.Close() }() // read only: nothing to lose
		data, err := datasets.Read(r, input)
		if err != nil {
			yield(datasets.Example{}, err)
			return
		}
		still := *a // local files have no time of their own: the same files give the same bytes
		still.Now = func() time.Time { return time.Unix(0, 0) }
		for e := range data.Examples(engine.PagesOfInputs(ctx, &still, f.pages, "")) {
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
}

// holdsTexts reports whether an input is of pages or texts, not of vectors.
func holdsTexts(a *app.App, f *dataFlags, input string) (bool, error) {
	if onlyVectors(f.from) {
		return false, nil
	}
	if f.from != formatCSV && f.from != formatTSV {
		return true, nil
	}
	if input == "-" {
		return f.text != "" || f.html != "", nil
	}
	r, err := openData(input)
	if err != nil {
		return false, err
	}
	defer func() { _ = r.Close() }() // read only: nothing to lose
	return datasets.IsTextTable(r, input, comma(f.from), f.textColumns()), nil
}

// tally counts what could not be read, and says the first ones.
type tally struct {
	a        *app.App
	all, bad int
	first    error
}

// failed notes err, if any.
func (t *tally) failed(err error) bool {
	t.all++
	if err == nil {
		return false
	}
	if t.bad == 0 {
		t.first = err
	}
	if t.bad++; t.bad <= shownProblems {
		t.a.Logf("%v", err)
	}
	return true
}

// err is the command's error: exit 3 if some of the input could not be read.
func (t *tally) err() error { return engine.Partly(t.bad, t.all, t.first) }
