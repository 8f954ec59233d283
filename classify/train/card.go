package train

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/eval"
)

// ModelCard returns the model card of m, a description for readers. It states its purpose, how it was made and
// from what data, its accuracy and, if r is not nil, where it fails. All numbers are those of the model
// and of its report r.
func ModelCard(m *classify.Model, r *eval.Report) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("# %s\n\n%s\n\n", m.Task, describeTask(m.Task))
	thing := exampleNoun(m.Task)
	things := thing + "s"
	p("Intended use: ranking and filtering %[1]s within EventSeer, mostly English, mostly of computer science. A score is a probability calibrated on %[1]s like the training %[1]s; it says nothing of pages that are no text. Not for judging people or the worth of a conference.\n\n", things)
	p("## How it was made\n\n")
	p("- algorithm: `%s`: %s; seed %d\n", m.Algo, m.Options, m.Seed)
	p("- command, in the folder of the data: `%s -o %s.model --card %s.md`\n", m.Program, m.Task, m.Task)
	p("- %d terms", m.Vectorizer.Size())
	if m.IsBinary() {
		p("; says yes from a score of %.4f, %s", m.Threshold, describeThreshold(m.Task, things))
	}
	p("\n- data: %d %s in %d groups (a group is a site or a copy of it), digest `%s`\n\n", m.Examples(), things, m.Groups, m.Data)
	p("| class | %s |\n|---|---|\n", things)
	for k, class := range m.Classes {
		p("| %s | %d |\n", class, m.Counts[k])
	}
	p("\n## What it can do\n\nGrouped %[1]d-fold cross-validation: each %[2]s is judged by a model that has seen no %[2]s of its group, at a threshold chosen on other %[2]ss. Intervals are 95 %%, by bootstrap over groups. The cost of an error and the blocks that are read were chosen by such cross-validations too, so the figures are a little too good. This prints them again: `%[3]s`.\n\n", Folds, thing, strings.Replace(m.Program, "eventseer train", "eventseer eval cv", 1))
	p("| figure | value | interval |\n|---|---|---|\n")
	for _, f := range m.Figures {
		p("| %s | %.3f | %.3f to %.3f |\n", f.Name, f.Value, f.Low, f.High)
	}
	if r != nil {
		p("%s%s", thresholdCurve(m, r), errorSection(r))
	}
	p("\n## Licence\n\nAs the program, see LICENSE. The file holds terms, document frequencies and weights, no page.\n")
	return b.String()
}

// describeThreshold returns a sentence on how the threshold of a task with two classes was chosen.
func describeThreshold(task, things string) string {
	if task == classify.TaskCFP {
		return fmt.Sprintf("half of the highest F1 on %s held out (Lipton, Elkan and Naryanaswamy 2014), or more where %g %% of the %s that are no calls might reach it, by a one-sided bound of 95 %%", things, 100*mostFalseCalls, things)
	}
	return fmt.Sprintf("the highest F1 on %s held out", things)
}

// thresholdCurve returns the part of a card about the results of other thresholds for calls.
func thresholdCurve(m *classify.Model, r *eval.Report) string {
	if m.Task != classify.TaskCFP || len(r.Thresholds) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nWhat other thresholds give on the same pages; the figures above are those of thresholds chosen on four folds, on the fifth, in turn:\n\n| threshold | precision | recall | F1 | calls |\n|---|---|---|---|---|\n")
	for _, t := range r.Thresholds {
		fmt.Fprintf(&b, "| %.2f | %.3f | %.3f | %.3f | %d |\n", t.Threshold, t.Precision, t.Recall, t.F1, t.Yes)
	}
	return b.String()
}

// errorSection returns the part of a card about the errors of a model.
func errorSection(r *eval.Report) string {
	var b strings.Builder
	b.WriteString("\n## Where it fails\n\n| class | found | most often taken for |\n|---|---|---|\n")
	for k, c := range r.Classes {
		fmt.Fprintf(&b, "| %s | %d of %d | %s |\n", c.Name, r.Confusion[k][k], c.Examples, r.ConfusedClasses(k))
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "\nWarning: %s.\n", w)
	}
	return b.String()
}

// commandLine returns the command line that o and r correspond to, without the files it writes. Paths of
// input files are relative to the deepest folder that contains them all, so that a model does not depend
// on where it was trained. If the pages are separate files, whose paths the labels contain, paths are as
// given.
func commandLine(o Options, r Recipe, env Environment) (string, error) {
	words := []string{"eventseer train --task", o.Task, "--algo", r.algorithm.name, "--seed", strconv.FormatUint(o.Seed, 10), r.flags()}
	files := slices.Concat(o.Labels, o.Pages)
	if o.Corrections != "" {
		files = append(files, o.Corrections)
	}
	if o.Task == classify.TaskLayer && !usesGraphs(o) {
		files = append(files, o.Targets, o.Links)
	}
	if !slices.ContainsFunc(o.Pages, func(input string) bool { return !env.Container(input) }) {
		var err error
		if files, err = relativeToCommonFolder(files); err != nil {
			return "", err
		}
	}
	var corrections []string
	if o.Corrections != "" {
		last := len(files) - 1
		corrections, files = files[last:], files[:last]
	}
	labels, pages, others := files[:len(o.Labels)], files[len(o.Labels):len(o.Labels)+len(o.Pages)], files[len(o.Labels)+len(o.Pages):]
	for _, flag := range []struct {
		name   string
		values []string
	}{{"--exclude-type", o.Exclude}, {"--data", labels}, {"--pages", pages}, {"--corrections", corrections}} {
		for _, value := range flag.values {
			words = append(words, flag.name, value)
		}
	}
	if len(others) > 0 {
		words = append(words, "--targets", others[0], "--links", others[1])
	}
	return strings.Join(words, " "), nil
}

// relativeToCommonFolder returns the paths relative to the deepest folder that contains all of the files.
func relativeToCommonFolder(paths []string) ([]string, error) {
	short := make([]string, len(paths))
	common := ""
	for i, path := range paths {
		var err error
		if short[i], err = filepath.Abs(path); err != nil {
			return nil, err
		}
		if i == 0 {
			common = filepath.Dir(short[i])
		}
		for !strings.HasPrefix(short[i], withSlash(common)) {
			common = filepath.Dir(common)
		}
	}
	for i := range short {
		short[i] = strings.TrimPrefix(short[i], withSlash(common))
	}
	return short, nil
}

// withSlash returns a folder's path with exactly one slash at its end.
func withSlash(dir string) string { return strings.TrimSuffix(dir, "/") + "/" }

func describeTask(task string) string {
	switch task {
	case classify.TaskCFP:
		return "Says whether a page is a call for papers: whether a reader could learn from it what is called for, and by when or how to submit."
	case classify.TaskPageType:
		return "Says of which type a page is: the call itself, a list of calls, a page of a conference, a person's homepage, a page of an institution, a mailed announcement, a weblog, or other."
	case classify.TaskLink:
		return linkTask
	case classify.TaskLayer:
		return layerTask
	case classify.TaskDiscipline:
		return "Says which discipline a page is about, for `eventseer crawl --topic`. Trained on pages that someone labelled with a discipline, a site being one example, and on the lists of topics of datasets/disciplines.txt, which are not among the pages counted and measured here. Disciplines of few pages are other. The labelled sites are few: sociology is mostly one conference on social computing, chemistry two."
	}
	return "Says how near a page's words are to those of known calls for papers. Crawlers follow links of near pages first."
}

// linkTask describes the task link.
const linkTask = "Says of a link whether the page it leads to is a call for papers, before that page is fetched, from the words of the link and beside it, its place in the page and the address it leads to. " +
	"Trained on the links of labelled pages that stay within their site: those to labelled pages, and, as leading to no call, a few of each page to unlabelled pages, which are used for training but not measured. " +
	"So no page of the site that is judged, and no link between sites, was learnt from. precision_at_1 is the share of pages whose best link leads to a call, of those that link to calls and to other labelled pages."

// layerTask describes the task layer.
const layerTask = "Says how many links a page is before a call for papers: 0 for a call, 1, 2 and 3, or other for what is farther or leads to none, in links of every kind. " +
	"It reads the words of the page and what the models of task cfp, page-type and link say of it and of its links; those are cross-fitted here. " +
	"Trained on the real pages of a frozen web, whose layers are their distances to its targets over all of its links, also those that were added to it: a crawl of that web must use the cross-fitted models. " +
	"Groups are hosts. Scores are what they would be if all layers held as many pages; so a page is given the layer it is most like."

// exampleNoun returns the noun for the examples of a task.
func exampleNoun(task string) string {
	if task == classify.TaskLink {
		return "link"
	}
	return "page"
}
