package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer/wrapper"
	"eventseer/features/tagtree"
	"eventseer/internal/atomicfile"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

const (
	maxAnnotateExamples  = 4
	maxAnnotateProposals = 5
	maxAnnotateValue     = 160 // characters of an example
	maxAnnotateLine      = 4 << 10
)

func newWrapperAnnotateCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "annotate W [INPUT…]", Short: "Say what the fields of a wrapper mean, one after the other",
		Example: `  eventseer wrapper annotate talks.wrapper
  eventseer wrapper annotate conf.example-3             # a wrapper of the data directory, see wrapper list
  eventseer wrapper annotate talks.wrapper talks/       # proposals from what is read on these pages
  printf 'y\ni\n= venue\nq\n' | eventseer wrapper annotate talks.wrapper`,
		Long: `Say what the fields of a wrapper mean: of a file, or of the data directory by its
name. Of each field that nobody has said anything of, examples are shown and the
meanings that its values speak for, the surest first; INPUT are pages of the
template to learn these from. An answer is a line:

` + annotateHelp + `
Each answer is saved at once, into W or the file -o names. The end of the input
quits.`,
		Args: args(cobra.MinimumNArgs(1)),
	}
	all := cmd.Flags().Bool("all", false, "ask of every field, also those that have an answer")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		return wrapperAnnotate(cmd.Context(), a, given[0], given[1:], *all)
	}
	return cmd
}

const annotateHelp = `  y             accept the first proposal
  2             accept the second proposal
  = NAME        this is NAME: title, deadlines.submission, or a name of yours
  i             ignore it: this is no data
  s or empty    skip it
  u             undo the last answer
  l             list the fields
  m             list the names that mean something to EventSeer
  q             quit
`

func wrapperAnnotate(ctx context.Context, a *app.App, given string, inputs []string, all bool) error {
	path, err := wrapperPath(a, given)
	if err != nil {
		return err
	}
	w, err := readWrapper(path)
	if err != nil {
		return err
	}
	bad, first := weighPages(ctx, a, w, inputs)
	if err := ctx.Err(); err != nil {
		return err
	}
	target := path
	if a.Config.Output != "-" {
		target = a.Config.Output
	}
	n := &annotation{w: w, save: func(w *wrapper.Wrapper) error { return saveWrapper(target, w) }}
	if len(inputs) > 0 {
		if err := n.save(w); err != nil {
			return err
		}
	}
	d := &annotateDialog{annotation: n, in: bufio.NewReader(a.Stdin), out: bufio.NewWriter(a.Stdout), fields: n.open(all)}
	err = errors.Join(d.run(ctx), d.out.Flush())
	if err != nil {
		return err
	}
	return engine.Partly(bad, max(bad, 1), first)
}

// wrapperPath returns the file that is given, or that of the wrapper of this name in the
// data directory, whose store is then locked against crawls, which learn wrappers too.
func wrapperPath(a *app.App, given string) (string, error) {
	if _, err := os.Stat(given); err == nil || filepath.Base(given) != given {
		return given, nil
	}
	dir, _ := engine.WrapperFiles(a.Config.Data)
	path := filepath.Join(dir, given+".wrapper")
	if _, err := os.Stat(path); err != nil {
		return given, nil
	}
	_, err := engine.OpenStore(a)
	return path, err
}

func saveWrapper(path string, w *wrapper.Wrapper) error {
	data, err := w.Encode()
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	})
}

// weighPages compares what the fields hold on pages with what the extractor reads there.
func weighPages(ctx context.Context, a *app.App, w *wrapper.Wrapper, inputs []string) (bad int, first error) {
	if len(inputs) == 0 {
		return 0, nil
	}
	x := engine.NewExtractor(a)
	for page, err := range engine.PagesOfInputs(ctx, a, inputs, "") {
		var tree *tagtree.Tree
		if err == nil {
			tree, err = tagtree.Parse(page)
		}
		if err != nil {
			bad, first = bad+1, cmp.Or(first, err)
			a.Logf("%s: %v", page.URL, err)
			continue
		}
		e, _ := x.Extract(tree)
		w.Weigh(tree, w.Apply(tree), e)
	}
	return bad, first
}

// An annotateDialog asks of one field after the other.
type annotateDialog struct {
	*annotation
	in     *bufio.Reader
	out    *bufio.Writer
	fields []*wrapper.Field
	at     int
}

// run asks until all fields have been asked of, or the input ends.
func (d *annotateDialog) run(ctx context.Context) error {
	fmt.Fprintf(d.out, "%s, %d pages: %d fields, %d to say something of. ? helps.\n",
		text.OneLine(strings.TrimSpace(d.w.Host+" "+d.w.Pattern), app.MaxShown), d.w.Pages, len(d.w.Fields), len(d.fields))
	for d.at < len(d.fields) {
		if err := ctx.Err(); err != nil {
			return err
		}
		d.show(d.fields[d.at])
		answer, err := d.ask()
		if errors.Is(err, io.EOF) || answer == "q" {
			break
		}
		if err != nil {
			return err
		}
		if err := d.answer(answer); err != nil {
			fmt.Fprintf(d.out, "%s\n", text.Printable(err.Error()))
		}
	}
	d.summary()
	return nil
}

// ask reads a line; the end of the input is io.EOF.
func (d *annotateDialog) ask() (string, error) {
	fmt.Fprint(d.out, "> ")
	if err := d.out.Flush(); err != nil {
		return "", err
	}
	line, err := d.in.ReadString('\n')
	if len(line) > maxAnnotateLine {
		return "", fmt.Errorf("a line of %d bytes is no answer", len(line))
	}
	line = strings.TrimSpace(line)
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	return line, err
}

// show prints a field with examples and proposals.
func (d *annotateDialog) show(f *wrapper.Field) {
	p := func(format string, args ...any) { fmt.Fprintf(d.out, format, args...) }
	p("\nfield %d of %d: %s, on %d of %d pages%s\n", d.at+1, len(d.fields), text.Printable(f.ID), f.Seen, d.w.Pages, several(f))
	p("  at %s%s\n", text.OneLine(f.Path, app.MaxShown), placeNote(f))
	for i, x := range f.Examples {
		if i == maxAnnotateExamples {
			break
		}
		p("  “%s”\n", text.OneLine(x.Value, maxAnnotateValue))
	}
	if now := meaningNote(f); now != "" {
		p("  now: %s\n", now)
	}
	for i, q := range d.proposals(f) {
		p("  %d. %s, alike %.0f %% on %d pages\n", i+1, text.Printable(q.Meaning), 100*q.Strength, q.Pages)
	}
}

func (d *annotateDialog) proposals(f *wrapper.Field) []wrapper.Proposal {
	ps := d.w.Proposals(f)
	return ps[:min(len(ps), maxAnnotateProposals)]
}

func several(f *wrapper.Field) string {
	if f.Repeats {
		return ", several a page"
	}
	return ""
}

// placeNote says what of its place a field is.
func placeNote(f *wrapper.Field) string {
	note := ""
	if f.Attr != "" {
		note += ", its " + text.OneLine(f.Attr, 40)
	}
	if f.Part != "" {
		note += ", " + string(f.Part)
	}
	if f.Label != "" {
		note += ", after “" + text.OneLine(f.Label, 60) + "”"
	}
	return note
}

// meaningNote says what a field means so far, and who says so.
func meaningNote(f *wrapper.Field) string {
	switch {
	case f.Ignored:
		return "ignored"
	case f.Meaning == "":
		return ""
	case f.By == wrapper.ByEvidence:
		return fmt.Sprintf("%s, by evidence (%.0f %%)", text.Printable(f.Meaning), 100*f.Strength)
	}
	return text.Printable(f.Meaning)
}

// answer does what a line says of the field asked of, and goes on.
func (d *annotateDialog) answer(line string) error {
	f := d.fields[d.at]
	name, named := strings.CutPrefix(line, "=")
	number, notNumber := strconv.Atoi(line)
	var err error
	switch {
	case named:
		err = d.rename(f.ID, strings.TrimSpace(name))
	case notNumber == nil:
		ps := d.proposals(f)
		if number < 1 || number > len(ps) {
			return fmt.Errorf("there is no proposal %d", number)
		}
		err = d.rename(f.ID, ps[number-1].Meaning)
	case line == "", line == "s":
	case line == "y":
		err = d.accept(f.ID)
	case line == "i":
		err = d.ignore(f.ID)
	case line == "u":
		return d.back()
	default:
		d.tell(line)
		return nil
	}
	if err == nil {
		d.at++
	}
	return err
}

// back undoes the last answer and asks again of its field.
func (d *annotateDialog) back() error {
	id, err := d.undo()
	if err != nil {
		return err
	}
	for i, f := range d.fields {
		if f.ID == id {
			d.at = i
		}
	}
	return nil
}

// tell prints what is asked for without an answer to the field.
func (d *annotateDialog) tell(line string) {
	switch line {
	case "l":
		d.list()
	case "m":
		fmt.Fprintln(d.out, strings.Join(wrapper.Meanings(), "\n"))
	default:
		if line != "?" {
			fmt.Fprintf(d.out, "%q is no answer:\n", text.OneLine(line, 40))
		}
		fmt.Fprint(d.out, annotateHelp)
	}
}

func (d *annotateDialog) list() {
	for _, f := range d.w.Fields {
		fmt.Fprintf(d.out, "  %s\t%s\t%s\n", text.Printable(f.ID), cmp.Or(meaningNote(f), "-"), shortened(f.Examples))
	}
}

func (d *annotateDialog) summary() {
	named, ignored := 0, 0
	for _, f := range d.w.Fields {
		switch {
		case f.Ignored:
			ignored++
		case f.Meaning != "":
			named++
		}
	}
	fmt.Fprintf(d.out, "\n%d fields have a meaning, %d are ignored, %d are open. Saved.\n", named, ignored, len(d.w.Fields)-named-ignored)
}
