package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
)

// WriteVectors writes v in a format.
func WriteVectors(w io.Writer, v *datasets.Vectors, format string) error {
	switch format {
	case SVMLight, LIBSVM:
		return datasets.WriteSVMLight(w, v, format == LIBSVM)
	case ARFF, ARFFDense:
		return datasets.WriteARFF(w, v, format == ARFFDense)
	}
	return datasets.WriteTable(w, v, separatorOf(format))
}

// WriteNames writes the names of components and classes to a file beside that of v, if there are any and
// the format cannot hold them.
func WriteNames(file string, v *datasets.Vectors, format string) error {
	named := v.Names != nil || !slices.Equal(datasets.SVMLightLabels(v.Classes), v.Classes)
	if !named || format != SVMLight && format != LIBSVM {
		return nil
	}
	f, err := os.Create(file + NamesSuffix)
	if err != nil {
		return err
	}
	return errors.Join(datasets.WriteNames(f, v), f.Close())
}

// ErrNoPage means that a conversion found no page.
var ErrNoPage = errors.New("no page to convert")

// VectorizeExamples converts examples to vectors. The function fit returns the vectorizer for all of their
// documents. For an example that cannot be read or has no class it calls failed, which reports whether to
// stop with the error.
func VectorizeExamples(ctx context.Context, examples iter.Seq2[datasets.Example, error], class func(datasets.Example) string,
	fit func(docs []*features.Document) (*features.Vectorizer, error), failed func(error) bool) (*datasets.Vectors, error) {
	var docs []*features.Document
	v := &datasets.Vectors{}
	var classes []string
	for e, err := range examples {
		var doc *features.Document
		if err == nil {
			doc, err = readDocument(e)
		}
		name := class(e)
		if err == nil {
			err = needClass(e, name)
		}
		if failed(err) {
			continue
		}
		docs, classes = append(docs, doc), append(classes, name)
		v.Rows = append(v.Rows, datasets.Row{Group: e.Group, ID: e.URL})
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return nil, ErrNoPage
	}
	vectorizer, err := fit(docs)
	if err != nil {
		return nil, err
	}
	v.Classes = ClassOrder(classes)
	for i, doc := range docs {
		v.Rows[i].X, v.Rows[i].Class = vectorizer.Vector(doc), slices.Index(v.Classes, classes[i])
	}
	for i := range vectorizer.Size() {
		v.Names = append(v.Names, vectorizer.Name(i))
	}
	return v, nil
}

func needClass(e datasets.Example, class string) error {
	if class == "" {
		return fmt.Errorf("%s has no class: name the column of classes with --class", e.URL)
	}
	return nil
}

func readDocument(e datasets.Example) (*features.Document, error) {
	tree, err := tagtree.Parse(e.Page)
	if err != nil {
		return nil, err
	}
	return features.Read(tree), nil
}

// CopyExamples writes each example as it is read. For an example that cannot be read or has no class it calls
// failed, which reports whether to stop with the error.
func CopyExamples(ctx context.Context, w datasets.Writer, examples iter.Seq2[datasets.Example, error], class func(datasets.Example) string, failed func(error) bool) error {
	for e, err := range examples {
		name := ""
		if err == nil {
			name = class(e)
			err = needClass(e, name)
		}
		if failed(err) {
			continue
		}
		if err := w.Write(e, name); err != nil {
			return errors.Join(err, w.Flush())
		}
	}
	return errors.Join(ctx.Err(), w.Flush())
}

// ClassOrder returns the distinct classes in the order that models use, so that of two classes the
// positive one is the second. Other classes are sorted by name.
func ClassOrder(classes []string) []string {
	all := slices.Compact(slices.Sorted(slices.Values(classes)))
	for _, task := range []string{classify.TaskCFP, classify.TaskPageType} {
		known, err := classify.Classes(task)
		if err != nil {
			continue
		}
		if !slices.ContainsFunc(all, func(c string) bool { return !slices.Contains(known, c) }) {
			return slices.DeleteFunc(known, func(c string) bool { return !slices.Contains(all, c) })
		}
	}
	return all
}
