package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"eventseer/classify"
	"eventseer/classify/eval"
)

// modelCard describes a model for people: what it is for, what it was made
// from and how, what it can do and, with a report, where it fails. All numbers
// are those of the model and of its report, which may be nil.
func modelCard(m *classify.Model, r *eval.Report) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("# %s\n\n%s\n\n", m.Task, describeTask(m.Task))
	p("Intended use: ranking and filtering pages within EventSeer, mostly English, mostly of computer science. A score is a probability calibrated on pages like the training pages; it says nothing of pages that are no text. Not for judging people or the worth of a conference.\n\n")
	p("## How it was made\n\n")
	p("- algorithm: `%s`: %s; seed %d\n", m.Algo, m.Options, m.Seed)
	p("- command, in the folder of the data: `%s -o %s.model --card %s.md`\n", m.Program, m.Task, m.Task)
	p("- %d terms", m.Vectorizer.Size())
	if m.Binary() {
		p("; says yes from a score of %.4f, the highest F1 on pages held out", m.Threshold)
	}
	p("\n- data: %d pages in %d groups (a group is a site or a copy of it), digest `%s`\n\n", total(m.Counts), m.Groups, m.Data)
	p("| class | pages |\n|---|---|\n")
	for k, class := range m.Classes {
		p("| %s | %d |\n", class, m.Counts[k])
	}
	p("\n## What it can do\n\nGrouped %d-fold cross-validation: each page is judged by a model that has seen no page of its group, at a threshold chosen on other pages. Intervals are 95 %%, by bootstrap over groups. The cost of an error and the blocks that are read were chosen by such cross-validations too, so the figures are a little too good. This prints them again: `%s`.\n\n", cvFolds, strings.Replace(m.Program, "eventseer train", "eventseer eval cv", 1))
	p("| figure | value | interval |\n|---|---|---|\n")
	for _, f := range m.Figures {
		p("| %s | %.3f | %.3f to %.3f |\n", f.Name, f.Value, f.Low, f.High)
	}
	if r != nil {
		p("%s", failures(r))
	}
	p("\n## Licence\n\nAs the program, see LICENSE. The file holds terms, document frequencies and weights, no page.\n")
	return b.String()
}

// failures is the part of a card that says where a model errs.
func failures(r *eval.Report) string {
	var b strings.Builder
	b.WriteString("\n## Where it fails\n\n| class | found | most often taken for |\n|---|---|---|\n")
	for k, c := range r.Classes {
		fmt.Fprintf(&b, "| %s | %d of %d | %s |\n", c.Name, r.Confusion[k][k], c.Examples, r.Confused(k))
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "\nWarning: %s.\n", w)
	}
	return b.String()
}

// trainCommand is the command line that f and r stand for, less the files it
// writes. Files it reads stand as they do in the folder that holds them all, so
// that a model does not depend on where it was trained; but as given where pages
// are files of their own, whose paths the labels name.
func trainCommand(f trainFlags, r recipe, seed uint64) (string, error) {
	words := []string{"eventseer train --task", f.task, "--algo", r.algorithm.name, "--seed", strconv.FormatUint(seed, 10), r.flags()}
	files := slices.Concat(f.labels, f.pages)
	if !slices.ContainsFunc(f.pages, func(input string) bool { return !isContainer(input) }) {
		var err error
		if files, err = inCommonFolder(files); err != nil {
			return "", err
		}
	}
	labels, pages := files[:len(f.labels)], files[len(f.labels):]
	for _, flag := range []struct {
		name   string
		values []string
	}{{"--exclude-type", f.exclude}, {"--data", labels}, {"--pages", pages}} {
		for _, value := range flag.values {
			words = append(words, flag.name, value)
		}
	}
	return strings.Join(words, " "), nil
}

// inCommonFolder returns the paths of files as they are in the deepest folder
// that holds them all.
func inCommonFolder(paths []string) ([]string, error) {
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

// withSlash ends a folder's path with one slash.
func withSlash(dir string) string { return strings.TrimSuffix(dir, "/") + "/" }

func describeTask(task string) string {
	switch task {
	case classify.TaskCFP:
		return "Says whether a page is a call for papers: whether a reader could learn from it what is called for, and by when or how to submit."
	case classify.TaskPageType:
		return "Says of which type a page is: the call itself, a list of calls, a page of a conference, a person's homepage, a page of an institution, a mailed announcement, a weblog, or other."
	case classify.TaskDiscipline:
		return "Says which discipline a page is about, for `eventseer crawl --topic`. Trained on pages that someone labelled with a discipline, a site being one example, and on the lists of topics of datasets/disciplines.txt, which are not among the pages counted and measured here. Disciplines of few pages are other. The labelled sites are few: sociology is mostly one conference on social computing, chemistry two."
	}
	return "Says how near a page's words are to those of known calls for papers. Crawlers follow links of near pages first."
}
