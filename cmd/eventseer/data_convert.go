package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/datasets/files"
	"github.com/eventseer/eventseer/features"

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

Pages and texts: labels (a labels file; --pages holds its pages), folders (one
folder per class, also in a tar file), jsonl, csv and tsv with a column of texts,
fasttext (one line of text per page), mbox (with labels.tsv beside it).
Vectors: svmlight, libsvm (svmlight without groups and IDs), arff (sparse),
arff-dense, csv and tsv of numbers.

Pages become vectors through the features of the shipped models, fitted on the
input, or through those of --model. The names of components and classes of svmlight
files are in OUT.names beside them. For labels, folders and mbox -o names a folder.`,
		Args: usageArgs(cobra.ExactArgs(1)),
	}
	flags := cmd.Flags()
	f.add(flags)
	flags.StringVar(&f.to, "to", "", "format of OUT: "+strings.Join(files.WriteFormats, ", "))
	flags.StringVar(&f.model, "model", "", "model file, or the name of a shipped model, whose features turn pages into vectors")
	flags.BoolVar(&f.vectors, "vectors", false, "write pages as vectors to csv and tsv too")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if err := f.source(a).Check(names[0]); err != nil {
			return err
		}
		if !slices.Contains(files.WriteFormats, f.to) {
			return app.Usagef("--to %q: the formats are %s", f.to, strings.Join(files.WriteFormats, ", "))
		}
		return convertDataset(cmd.Context(), a, &f, names[0])
	}
	return cmd
}

func convertDataset(ctx context.Context, a *app.App, f *convertFlags, input string) error {
	texts, err := f.HoldsTexts(input)
	if err != nil {
		return err
	}
	toTable := f.to == files.CSV || f.to == files.TSV
	switch {
	case !texts && !files.IsVectorFormat(f.to) && !toTable:
		return app.Usagef("%s holds vectors, which cannot be converted to %s: --to svmlight, arff, csv or another format of vectors", input, f.to)
	case !texts:
		v, err := f.Vectors(input)
		if err != nil {
			return err
		}
		if v.Missing > 0 {
			a.Logf("%s: %d missing values are counted as 0", input, v.Missing)
		}
		return writeVectors(a, v, f.to)
	case files.IsVectorFormat(f.to) || toTable && f.vectors:
		return convertToVectors(ctx, a, f, input)
	}
	return convertTexts(ctx, a, f, input)
}

// convertToVectors reads all pages, fits the features and writes vectors.
func convertToVectors(ctx context.Context, a *app.App, f *convertFlags, input string) error {
	t := unreadInputs{a: a}
	v, err := files.VectorizeExamples(ctx, f.Examples(ctx, input), f.ClassOf, f.vectorizer, t.countFailure)
	if errors.Is(err, files.ErrNoPage) {
		return errors.Join(fmt.Errorf("%s: %w", input, err), t.First)
	}
	if err != nil {
		return err
	}
	if err := writeVectors(a, v, f.to); err != nil {
		return err
	}
	a.Logf("%d pages, %d components, classes %s", len(v.Rows), len(v.Names), strings.Join(v.Classes, ", "))
	return t.Err()
}

// vectorizer returns the vectorizer of --model, or one fitted on docs.
func (f *convertFlags) vectorizer(docs []*features.Document) (*features.Vectorizer, error) {
	if f.model == "" {
		return features.FitVectorizer(features.DefaultOptions(), nil, docs)
	}
	m, err := judges.OpenModel(f.model)
	if err != nil {
		return nil, err
	}
	return m.Vectorizer, nil
}

// writeVectors writes v to --output, and its names to a second file.
func writeVectors(a *app.App, v *datasets.Vectors, format string) error {
	err := a.WithOutput(func(w io.Writer) error { return files.WriteVectors(w, v, format) })
	if err != nil || a.Config.Output == "-" {
		return err
	}
	return files.WriteNames(a.Config.Output, v, format)
}

// convertTexts writes pages one by one to --output: a file, or a folder without a dataset.
func convertTexts(ctx context.Context, a *app.App, f *convertFlags, input string) error {
	t := unreadInputs{a: a}
	pump := func(w datasets.Writer) error {
		return files.CopyExamples(ctx, w, f.Examples(ctx, input), f.ClassOf, t.countFailure)
	}
	var err error
	switch folder := f.to == files.Labels || f.to == files.Mbox || f.to == files.Folders; {
	case folder && a.Config.Output == "-":
		return app.Usagef("-o DIR is needed: %s is more than one file", f.to)
	case folder:
		err = files.WriteFolder(f.to, a.Config.Output, pump)
	default:
		err = a.WithOutput(func(w io.Writer) error { return pump(files.NewTextWriter(w, f.to)) })
	}
	if err != nil {
		return err
	}
	if t.Bad == t.All {
		return errors.Join(fmt.Errorf("%s: %w", input, files.ErrNoPage), t.First)
	}
	a.Logf("%d pages", t.All-t.Bad)
	return t.Err()
}
