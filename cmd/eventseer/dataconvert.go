package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/datasets"
	"eventseer/features"
	"eventseer/features/tagtree"

	"github.com/spf13/cobra"
)

// convertFlags are the flags of data convert.
type convertFlags struct {
	dataFlags
	to, model string
	vectors   bool
}

func newDataConvertCommand(a *app.App) *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use: "convert IN --to FORMAT -o OUT", Short: "Write a dataset in another format",
		Example: `  eventseer data convert labels.tsv --pages pages.warc.gz --class is_cfp --to svmlight -o pages.svm
  eventseer data convert labels.tsv --pages pages.warc.gz --model cfp --to arff -o pages.arff
  eventseer data convert pages.svm --to libsvm -o - | svm-train /dev/stdin
  eventseer data convert dbworld_bodies.arff --to csv -o dbworld.csv
  eventseer data convert 20news.tar.gz --to fasttext -o 20news.ft
  eventseer data convert folders/ --to jsonl | head -1`,
		Long: `Write a dataset in another format.

Pages and texts: labels (a labels file; --pages holds its pages), folders (a
folder a class, also in a tar file), jsonl, csv and tsv with a column of texts,
fasttext (one line of text a page), mbox (with labels.tsv beside it).
Vectors: svmlight, libsvm (svmlight without groups and IDs), arff (sparse),
arff-dense, csv and tsv of numbers.

Pages become vectors through the features of the shipped models, fitted on the
input, or through those of --model. svmlight files get their names of components
and classes beside them, in OUT.names. -o names a folder for labels, folders and mbox.`,
		Args: args(cobra.ExactArgs(1)),
	}
	flags := cmd.Flags()
	f.add(flags)
	flags.StringVar(&f.to, "to", "", "format of OUT: "+strings.Join(writeFormats, ", "))
	flags.StringVar(&f.model, "model", "", "model file, or the name of a shipped model, whose features turn pages into vectors")
	flags.BoolVar(&f.vectors, "vectors", false, "write pages as vectors to csv and tsv too")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if err := f.check(names[0]); err != nil {
			return err
		}
		if !slices.Contains(writeFormats, f.to) {
			return app.Usagef("--to %q: the formats are %s", f.to, strings.Join(writeFormats, ", "))
		}
		return convert(cmd.Context(), a, &f, names[0])
	}
	return cmd
}

func convert(ctx context.Context, a *app.App, f *convertFlags, input string) error {
	texts, err := holdsTexts(a, &f.dataFlags, input)
	if err != nil {
		return err
	}
	toTable := f.to == formatCSV || f.to == formatTSV
	switch {
	case !texts && !onlyVectors(f.to) && !toTable:
		return app.Usagef("%s holds vectors, from which no %s can be made: --to svmlight, arff, csv or another format of vectors", input, f.to)
	case !texts:
		v, err := vectors(a, &f.dataFlags, input)
		if err != nil {
			return err
		}
		if v.Missing > 0 {
			a.Logf("%s: %d missing values are counted as 0", input, v.Missing)
		}
		return writeVectors(a, v, f.to)
	case onlyVectors(f.to) || toTable && f.vectors:
		return convertToVectors(ctx, a, f, input)
	}
	return convertTexts(ctx, a, f, input)
}

// convertToVectors reads all pages, fits the features and writes vectors.
func convertToVectors(ctx context.Context, a *app.App, f *convertFlags, input string) error {
	t := tally{a: a}
	var docs []*features.Document
	v := &datasets.Vectors{}
	var classes []string
	for e, err := range examples(ctx, a, &f.dataFlags, input) {
		var doc *features.Document
		if err == nil {
			doc, err = readDocument(e)
		}
		class := f.className(e)
		if err == nil && class == "" {
			err = fmt.Errorf("%s has no class: --class names the column it is in", e.URL)
		}
		if t.failed(err) {
			continue
		}
		docs, classes = append(docs, doc), append(classes, class)
		v.Rows = append(v.Rows, datasets.Row{Group: e.Group, ID: e.URL})
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(docs) == 0 {
		return errors.Join(fmt.Errorf("%s: no page to convert", input), t.first)
	}
	vectorizer, err := f.vectorizer(docs)
	if err != nil {
		return err
	}
	v.Classes = inOrder(classes)
	for i, doc := range docs {
		v.Rows[i].X, v.Rows[i].Class = vectorizer.Vector(doc), slices.Index(v.Classes, classes[i])
	}
	for i := range vectorizer.Size() {
		v.Names = append(v.Names, vectorizer.Name(i))
	}
	if err := writeVectors(a, v, f.to); err != nil {
		return err
	}
	a.Logf("%d pages, %d components, classes %s", len(docs), vectorizer.Size(), strings.Join(v.Classes, ", "))
	return t.err()
}

func readDocument(e datasets.Example) (*features.Document, error) {
	tree, err := tagtree.Parse(e.Page)
	if err != nil {
		return nil, err
	}
	return features.Read(tree), nil
}

// vectorizer is that of --model, or fitted on docs.
func (f *convertFlags) vectorizer(docs []*features.Document) (*features.Vectorizer, error) {
	if f.model == "" {
		return features.Fit(features.Default(), nil, docs)
	}
	m, err := engine.OpenModel(f.model)
	if err != nil {
		return nil, err
	}
	return m.Vectorizer, nil
}

// inOrder returns the different classes in the order that models use, so that
// of two classes the positive one is the second; others by name.
func inOrder(classes []string) []string {
	all := slices.Sorted(maps.Keys(countBy(classes)))
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

// countBy counts equal names.
func countBy(names []string) map[string]int {
	counts := map[string]int{}
	for _, name := range names {
		counts[name]++
	}
	return counts
}

// writeVectors writes v to --output, with its names beside it.
func writeVectors(a *app.App, v *datasets.Vectors, format string) error {
	err := a.WithOutput(func(w io.Writer) error {
		switch format {
		case formatSVMLight, formatLIBSVM:
			return datasets.WriteSVMLight(w, v, datasets.SVMLightOptions{Plain: format == formatLIBSVM})
		case formatARFF, formatDense:
			return datasets.WriteARFF(w, v, datasets.ARFFOptions{Dense: format == formatDense})
		}
		return datasets.WriteTable(w, v, comma(format))
	})
	named := v.Names != nil || !slices.Equal(datasets.SVMLightLabels(v.Classes), v.Classes)
	if err != nil || a.Config.Output == "-" || !named || format != formatSVMLight && format != formatLIBSVM {
		return err
	}
	f, err := os.Create(a.Config.Output + namesSuffix)
	if err != nil {
		return err
	}
	return errors.Join(datasets.WriteNames(f, v), f.Close())
}

// convertTexts writes each page as it comes.
func convertTexts(ctx context.Context, a *app.App, f *convertFlags, input string) error {
	t := tally{a: a}
	pump := func(w datasets.Writer) error {
		for e, err := range examples(ctx, a, &f.dataFlags, input) {
			if t.failed(err) {
				continue
			}
			class := f.className(e)
			if class == "" {
				t.all-- // counted twice else
				t.failed(fmt.Errorf("%s has no class: --class names the column it is in", e.URL))
				continue
			}
			if err := w.Write(e, class); err != nil {
				return errors.Join(err, w.Flush())
			}
		}
		return errors.Join(ctx.Err(), w.Flush())
	}
	if err := writeTexts(a, f.to, pump); err != nil {
		return err
	}
	if t.bad == t.all {
		return errors.Join(fmt.Errorf("%s: no page to convert", input), t.first)
	}
	a.Logf("%d pages", t.all-t.bad)
	return t.err()
}
