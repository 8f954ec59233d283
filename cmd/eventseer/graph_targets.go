package main

import (
	"context"
	"io"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/contextgraph/table"
	"eventseer/contextgraph/target"
	"eventseer/features"
	"eventseer/features/tagtree"
	"eventseer/models"

	"github.com/spf13/cobra"
)

// targetFlags say which pages are targets.
type targetFlags struct {
	urls        []string
	file        string
	kinds       []string
	disciplines []string
	labels      string
	draw        int
	replay      []string
	fetch       bool
}

func (f *targetFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.file, "targets", "", "file of targets: URLs, one a line, or a TSV with the column url and maybe kind and discipline")
	flags.StringSliceVar(&f.kinds, "kinds", []string{"page", "pdf"}, "kinds of --targets that count")
	flags.StringSliceVar(&f.disciplines, "discipline", nil, "targets of these disciplines alone, or all for every discipline by itself; they are told by --targets, else by --labels, else by the shipped model, which reads the pages")
	flags.StringVar(&f.labels, "labels", "", "TSV with the columns url and discipline of targets, as a corpus has it")
	flags.IntVar(&f.draw, "draw", 0, "targets of each discipline that are drawn, by --seed; 0 is all (the paper had 40)")
	flags.StringSliceVar(&f.replay, "replay", nil, "WARC files that hold the pages")
	flags.BoolVar(&f.fetch, "fetch", false, "fetch the pages from the live web, politely")
}

// read reads the targets that the flags name, each once.
func (f *targetFlags) read() (target.List, error) { return target.Read(f.urls, f.file, f.kinds) }

// tellDisciplines fills in the disciplines of targets from labels, and of those
// nobody labelled from the shipped model.
func tellDisciplines(ctx context.Context, t *target.List, f targetFlags, pages *graphPages) error {
	if f.labels != "" {
		labels, err := table.ReadLabels(f.labels, "discipline")
		if err != nil {
			return err
		}
		t.Label(labels)
	}
	if pages == nil {
		return nil
	}
	model, err := disciplineModel()
	if err != nil {
		return err
	}
	return t.Tell(ctx, func(url string) (string, error) {
		tree, err := pages.tree(ctx, url)
		if err != nil {
			return "", err // gone: of no discipline
		}
		return disciplineOf(model, tree), nil
	})
}

func disciplineModel() (*classify.Model, error) {
	f, err := models.Files().Open(engine.DisciplineFile)
	if err != nil {
		return nil, err
	}
	m, _, err := engine.ReadTopicModel(f)
	return m, err
}

// disciplineOf returns the likeliest discipline of a page, "" for no discipline.
func disciplineOf(m *classify.Model, t *tagtree.Tree) string {
	scores := m.Scores(features.Read(t))
	if class := m.Classes[m.Class(scores)]; class != classify.Other {
		return class
	}
	return ""
}

func newGraphTargetsCommand(a *app.App) *cobra.Command {
	var f targetFlags
	cmd := &cobra.Command{
		Use: "targets --targets FILE --discipline NAME", Short: "Write the targets of one discipline as a file of targets", Args: args(cobra.NoArgs),
		Long: "Write the targets of some disciplines as a TSV like --targets, with a column discipline: for a laboratory whose targets are of one topic.",
		Example: `  eventseer graph targets --targets targets.tsv --labels labels.tsv --discipline physics -o physics.tsv
  eventseer graph targets --targets targets.tsv --replay web.warc.gz --discipline physics -o physics.tsv   # told by the shipped model
  eventseer lab run --web web.warc.gz --targets physics.tsv --topic physics --seeds seeds -o lab-physics`,
	}
	f.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return graphTargets(cmd.Context(), a, f) }
	return cmd
}

func graphTargets(ctx context.Context, a *app.App, f targetFlags) error {
	t, err := f.read()
	if err != nil {
		return err
	}
	pages, err := openGraphPages(a, f.replay, f.fetch, "")
	if err != nil {
		return err
	}
	if err := tellDisciplines(ctx, &t, f, pages); err != nil {
		return err
	}
	groups, err := t.Groups(f.disciplines, f.draw, a.Config.Seed)
	if err != nil {
		return err
	}
	return a.WithOutput(func(w io.Writer) error {
		if err := t.Write(w, groups); err != nil {
			return err
		}
		for _, group := range groups {
			if group.Name != "" {
				a.Logf("%s: %d targets", group.Name, len(group.Targets))
			}
		}
		return nil
	})
}
