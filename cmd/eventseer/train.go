package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/train"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// dataUsage describes the flag --data.
const dataUsage = "labels: tab-separated, columns url, page_type, is_cfp, group, or id and is_cfp for messages; may be repeated"

// trainFlags are the flags common to train and eval cv.
type trainFlags struct{ train.Options }

func (f *trainFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.Task, "task", "", "what to learn: cfp, page-type, discipline, link (which links lead to a call), layer (how many links a page is before one), or topic, with is_cfp for pages on the topic; vectors: the classes of a file of vectors; block-role: the role of each block of a page (train only); pair: whether two records are of one edition (train only)")
	flags.StringVar(&f.Algorithm, "algo", "", "algorithm: "+train.AlgorithmNames()+" (default that of the task's shipped model; svm-trees needs hundreds of pages, svm fewer)")
	flags.StringArrayVar(&f.Labels, "data", nil, dataUsage)
	flags.StringArrayVar(&f.Pages, "pages", nil, "INPUT that holds the labelled pages, may be repeated")
	flags.StringArrayVar(&f.Exclude, "exclude-type", nil, "leave out pages of this type, may be repeated")
	flags.StringVar(&f.Corrections, "corrections", "", "file of corrections of labels (datasets/corrections.tsv): used for training; figures are measured with the labels without corrections")
	f.addWebFiles(flags)
	flags.StringVar(&f.Against, "one-against-rest", "", "learn this class of the task against all others together (eval cv only)")
	flags.Float64Var(&f.Cost, "cost", 0, "cost of a training error of a support vector machine (default the algorithm's)")
	flags.Float64Var(&f.Alpha, "alpha", 0, "smoothing of naive Bayes (default the algorithm's)")
	flags.IntVar(&f.Terms, "terms", -1, "terms chosen for each class, 0 keeps all (default the algorithm's)")
	flags.Lookup("terms").DefValue = "0" // not shown: the default, -1, would not be understood
	flags.StringVar(&f.Statistic, "select", "", "how terms are chosen: chi2 or ig, information gain (default the algorithm's)")
	flags.StringSliceVar(&f.Blocks, "features", nil, "blocks to switch on and off, such as +title,-url; blocks are "+strings.Join(features.BlockNames(), ", "))
	flags.StringVar(&f.Calibration, "calibrate", "", "how scores become probabilities: platt, or isotonic (eval cv only)")
	flags.DurationVar(&f.Tune, "tune", 0, "time to search for better --cost, --alpha, --terms, --select and --features, such as 10m")
	markRequired(cmd, "task", "data")
}

// addWebFiles adds the flags of files with the distances of pages to a target.
func (f *trainFlags) addWebFiles(flags *pflag.FlagSet) {
	flags.StringVar(&f.Targets, "targets", "", "with task layer, unless --data are .graph files: file of targets from which layers are counted, columns url and kind")
	flags.StringVar(&f.Links, "links", "", "with task layer, unless --data are .graph files: file of links over which layers are counted, columns source and target")
}

func newTrainCommand(a *app.App) *cobra.Command {
	var f trainFlags
	cmd := &cobra.Command{
		Use: "train --task TASK --data LABELS --pages INPUT -o MODEL", Short: "Train a model on labelled pages",
		Example: `  eventseer train --task cfp --data labels.tsv --pages pages.warc.gz -o cfp.model --card cfp.md
  eventseer train --task cfp --data labels.tsv --pages pages.warc.gz --data mails.tsv --pages mails.mbox.gz -o cfp.model
  eventseer train --task page-type --data labels.tsv --pages pages.warc.gz -o page-type.model --cross-fit crossfit
  eventseer train --task link --data labels.tsv --pages pages.warc.gz -o link.model
  eventseer train --task layer --data nodes.tsv --pages web.warc.gz --targets targets.tsv --links links.tsv.gz -o layer.model
  eventseer train --task layer --data known.graph --pages pages.warc.gz -o layer.model
  eventseer train --task block-role --data datasets/blocks.tsv --pages sites.warc.gz --pages web.warc.gz -o block-role.model
  eventseer train --task pair --data pairs.jsonl -o pair.model`,
		Args: usageArgs(cobra.NoArgs),
	}
	f.add(cmd)
	card := cmd.Flags().String("card", "", "also write the model's card to this file")
	from := cmd.Flags().String("from", "pair", "with task pair: model to start from, a file or the shipped one")
	crossFit := cmd.Flags().String("cross-fit", "", "also write into this folder, for each fold of groups, the model trained without it, and the table of folds")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if a.Config.Output == "-" {
			return app.Usagef("-o MODEL is needed: the file to write")
		}
		if f.Task == train.TaskPair {
			return trainPairs(cmd.Context(), a, f.optionsWithSeed(a), *from, *card)
		}
		if f.Task == train.TaskBlockRole {
			if *crossFit != "" {
				return app.Usagef("--cross-fit: --task %s has no cross-fitted models", f.Task)
			}
			return trainBlocks(cmd.Context(), a, f.optionsWithSeed(a), a.Config.Output, *card)
		}
		return trainModel(cmd.Context(), a, f.optionsWithSeed(a), a.Config.Output, *card, *crossFit)
	}
	return cmd
}

// optionsWithSeed returns the options with the seed of the command line.
func (f *trainFlags) optionsWithSeed(a *app.App) train.Options {
	f.Seed = a.Config.Seed
	return f.Options
}

// trainingEnvironment returns the command's resources for training.
func trainingEnvironment(a *app.App) train.Environment {
	env := train.Environment{
		ReadPages: func(ctx context.Context, inputs []string) iter.Seq2[*webgraph.Page, error] {
			return engine.PagesOfInputs(ctx, a, inputs, "")
		},
		Container:   engine.IsContainer,
		ReadTargets: readTargets,
		ReadLinks:   func(path string) (*contextgraph.Graph, error) { return readLinkGraph(a, path) },
		Layers:      func() (train.DocumentReader, error) { return judges.CrossFittedSet().ReachReader() },
		Stdin:       a.Stdin, Now: a.Now, Logf: a.Logf,
	}
	if !a.Config.Quiet {
		env.Problems = a.Stderr
	}
	return env
}

// checkFolders returns an error if the folder of an output file is missing. It is checked first,
// because training takes long.
func checkFolders(paths ...string) error {
	for _, path := range paths {
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return fmt.Errorf("%s cannot be written: %w", path, err)
		}
	}
	return nil
}

// trainBlocks trains a model of block roles, and writes it and, if requested, its card.
func trainBlocks(ctx context.Context, a *app.App, o train.Options, path, card string) error {
	if err := checkFolders(path, card); err != nil {
		return err
	}
	made, err := train.TrainBlocks(ctx, o, trainingEnvironment(a))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := classify.WriteLogLinear(&b, made.Model.LogLinear); err != nil {
		return err
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return err
	}
	if card != "" {
		if err := os.WriteFile(card, []byte(train.BlockCard(made)), 0o644); err != nil {
			return err
		}
	}
	a.Logf("%s: %d blocks in %d groups, %d features", path, made.Model.Examples(), made.Model.Groups, made.Model.Features())
	return writeToLog(a, made.Report.WriteText)
}

// trainPairs continues training a model of pairs with the decisions of editors.
func trainPairs(ctx context.Context, a *app.App, o train.Options, from, card string) error {
	if err := checkFolders(a.Config.Output, card); err != nil {
		return err
	}
	base, err := judges.ReadModelFile(from)
	if err != nil {
		return err
	}
	made, err := train.TrainPairs(ctx, o, base)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := classify.WriteLogLinear(&b, made.Model); err != nil {
		return err
	}
	if err := os.WriteFile(a.Config.Output, b.Bytes(), 0o644); err != nil {
		return err
	}
	if card != "" {
		if err := os.WriteFile(card, []byte(train.PairCard(made)), 0o644); err != nil {
			return err
		}
	}
	a.Logf("%s: %d pairs of one edition and %d of two in %d groups of sites; put it into the data directory as models/%s", a.Config.Output, made.Model.Counts[1], made.Model.Counts[0], made.Model.Groups, match.PairFile)
	if made.RuledOut > 0 {
		a.Logf("%d more pairs are not used, because names, years or days rule out that they are one edition", made.RuledOut)
	}
	if made.After == nil {
		a.Logf("not measured: the pairs lie on fewer than two sites")
		return nil
	}
	return writeToLog(a, func(w io.Writer) error { return errors.Join(made.Before.WriteText(w), made.After.WriteText(w)) })
}

// trainModel trains a model and writes the requested files: the model, its card, the models of the
// folds.
func trainModel(ctx context.Context, a *app.App, o train.Options, path, card, crossFit string) error {
	if err := checkFolders(path, card); err != nil {
		return err
	}
	made, err := train.Train(ctx, o, trainingEnvironment(a))
	if err != nil {
		return err
	}
	if err := train.WriteModel(path, made.Model); err != nil {
		return err
	}
	if card != "" {
		if err := os.WriteFile(card, []byte(train.ModelCard(made.Model, made.Report)), 0o644); err != nil {
			return err
		}
	}
	if crossFit != "" {
		if err := made.WriteFolds(crossFit); err != nil {
			return err
		}
	}
	a.Logf("%s: %v", path, made)
	return writeToLog(a, made.Report.WriteText)
}

// writeToLog has write produce log messages on stderr, unless --quiet.
func writeToLog(a *app.App, write func(io.Writer) error) error {
	if a.Config.Quiet {
		return nil
	}
	return write(a.Stderr)
}
