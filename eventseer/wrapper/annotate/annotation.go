// Package annotate sets the meanings of a wrapper's fields, step by step, in a dialog on the terminal.
package annotate

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/eventseer/wrapper/fields"
	"github.com/eventseer/eventseer/internal/text"
)

// An Annotation sets the meanings of a wrapper's fields and saves each step. It is not safe for concurrent
// use.
type Annotation struct {
	W    *wrapper.Wrapper
	Save func(*wrapper.Wrapper) error
	Done []Step
}

// A Step is the state of all fields before a change.
type Step struct {
	field  string // ID of the field that was changed
	before map[string]fieldMeaning
}

// A fieldMeaning is the annotated part of a field.
type fieldMeaning struct {
	meaning, by string
	strength    float64
	ignored     bool
}

// ErrNothingDone means that there is no step to undo.
var ErrNothingDone = errors.New("there is nothing to undo")

// New returns an annotation of w. save is called after each step.
func New(w *wrapper.Wrapper, save func(*wrapper.Wrapper) error) *Annotation {
	return &Annotation{W: w, Save: save}
}

// runStep runs a step on a field and saves the wrapper. If either fails, the fields are restored.
func (n *Annotation) runStep(field string, step func() error) error {
	before := n.currentMeanings()
	err := step()
	if err == nil {
		err = n.Save(n.W)
	}
	if err != nil {
		n.restoreMeanings(before)
		return err
	}
	n.Done = append(n.Done, Step{field, before})
	return nil
}

// Rename gives a field a meaning.
func (n *Annotation) Rename(id, meaning string) error {
	return n.runStep(id, func() error { return n.W.Rename(id, meaning) })
}

// Ignore marks a field as not being data.
func (n *Annotation) Ignore(id string) error {
	return n.runStep(id, func() error { return n.W.Ignore(id) })
}

// Undo reverts the last step and returns the ID of its field.
func (n *Annotation) Undo() (field string, err error) {
	if len(n.Done) == 0 {
		return "", ErrNothingDone
	}
	last := n.Done[len(n.Done)-1]
	now := n.currentMeanings()
	n.restoreMeanings(last.before)
	if err := n.Save(n.W); err != nil {
		n.restoreMeanings(now)
		return "", err
	}
	n.Done = n.Done[:len(n.Done)-1]
	return last.field, nil
}

func (n *Annotation) currentMeanings() map[string]fieldMeaning {
	all := make(map[string]fieldMeaning, len(n.W.Fields))
	for _, f := range n.W.Fields {
		all[f.ID] = fieldMeaning{f.Meaning, f.By, f.Strength, f.Ignored}
	}
	return all
}

func (n *Annotation) restoreMeanings(all map[string]fieldMeaning) {
	for _, f := range n.W.Fields {
		if m, ok := all[f.ID]; ok {
			f.Meaning, f.By, f.Strength, f.Ignored = m.meaning, m.by, m.strength, m.ignored
		}
	}
}

// UnansweredFields returns the fields without an answer, or all fields if all is set. Those with the strongest proposals
// are first.
func (n *Annotation) UnansweredFields(all bool) []*wrapper.Field {
	fields := slices.DeleteFunc(slices.Clone(n.W.Fields), func(f *wrapper.Field) bool { return !all && (f.By == wrapper.ByOperator || f.Ignored) })
	best := make(map[*wrapper.Field]float64, len(fields))
	for _, f := range fields {
		if ps := n.W.Proposals(f); len(ps) > 0 {
			best[f] = ps[0].Strength
		}
	}
	slices.SortStableFunc(fields, func(a, b *wrapper.Field) int { return cmp.Compare(best[b], best[a]) })
	return fields
}

const maxExamples = 4

const maxProposals = 5

const maxValue = 160 // runes shown of an example

const maxLine = 4 << 10

// Help lists the possible answers.
const Help = `  y             accept the first proposal
  2             accept the second proposal
  = NAME        this is NAME: title, deadlines.submission, or a name of yours
  i             ignore it: this is no data
  s or empty    skip it
  u             undo the last answer
  l             list the fields
  m             list the names that mean something to EventSeer
  q             quit
`

// A Dialog asks for the meaning of one field after another.
type Dialog struct {
	*Annotation
	in     *bufio.Reader
	out    *bufio.Writer
	fields []*wrapper.Field
	at     int
}

// NewDialog returns a dialog about the fields without an answer, or about all fields if all is set.
func NewDialog(n *Annotation, in io.Reader, out io.Writer, all bool) *Dialog {
	return &Dialog{Annotation: n, in: bufio.NewReader(in), out: bufio.NewWriter(out), fields: n.UnansweredFields(all)}
}

// Run asks about all fields until the user quits or the input ends.
func (d *Dialog) Run(ctx context.Context) error {
	return errors.Join(d.askAll(ctx), d.out.Flush())
}

func (d *Dialog) askAll(ctx context.Context) error {
	fmt.Fprintf(d.out, "%s, %d pages: %d fields, %d to be named. Enter ? for help.\n",
		text.OneLine(strings.TrimSpace(d.W.Host+" "+d.W.Pattern), text.MaxShown), d.W.Pages, len(d.W.Fields), len(d.fields))
	for d.at < len(d.fields) {
		if err := ctx.Err(); err != nil {
			return err
		}
		d.showField(d.fields[d.at])
		answer, err := d.askQuestion()
		if errors.Is(err, io.EOF) || answer == "q" {
			break
		}
		if err != nil {
			return err
		}
		if err := d.applyAnswer(answer); err != nil {
			fmt.Fprintf(d.out, "%s\n", text.Printable(err.Error()))
		}
	}
	d.printSummary()
	return nil
}

// askQuestion prints the prompt and reads a line. It returns io.EOF at the end of the input.
func (d *Dialog) askQuestion() (string, error) {
	fmt.Fprint(d.out, "> ")
	if err := d.out.Flush(); err != nil {
		return "", err
	}
	line, err := d.in.ReadString('\n')
	if len(line) > maxLine {
		return "", fmt.Errorf("the line has %d bytes, too many for an answer", len(line))
	}
	line = strings.TrimSpace(line)
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	return line, err
}

// showField prints a field with examples and proposals.
func (d *Dialog) showField(f *wrapper.Field) {
	p := func(format string, args ...any) { fmt.Fprintf(d.out, format, args...) }
	p("\nfield %d of %d: %s, on %d of %d pages%s\n", d.at+1, len(d.fields), text.Printable(f.ID), f.Seen, d.W.Pages, valueCountNote(f))
	p("  at %s%s\n", text.OneLine(f.Path, text.MaxShown), PlaceNote(f))
	for i, x := range f.Examples {
		if i == maxExamples {
			break
		}
		p("  “%s”\n", text.OneLine(x.Value, maxValue))
	}
	if now := meaningNote(f); now != "" {
		p("  now: %s\n", now)
	}
	for i, q := range d.proposals(f) {
		p("  %d. %s, %.0f %% similar on %d pages\n", i+1, text.Printable(q.Meaning), 100*q.Strength, q.Pages)
	}
}

func (d *Dialog) proposals(f *wrapper.Field) []wrapper.Proposal {
	ps := d.W.Proposals(f)
	return ps[:min(len(ps), maxProposals)]
}

func valueCountNote(f *wrapper.Field) string {
	if f.Repeats {
		return ", several a page"
	}
	return ""
}

// PlaceNote returns a note on which part of its element a field is, starting with a comma, or "".
func PlaceNote(f *wrapper.Field) string {
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

// meaningNote returns the current meaning of a field and who set it, or "".
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

// applyAnswer applies the user's answer to the current field and moves to the next one.
func (d *Dialog) applyAnswer(line string) error {
	f := d.fields[d.at]
	name, named := strings.CutPrefix(line, "=")
	number, notNumber := strconv.Atoi(line)
	var err error
	switch {
	case named:
		err = d.Rename(f.ID, strings.TrimSpace(name))
	case notNumber == nil:
		ps := d.proposals(f)
		if number < 1 || number > len(ps) {
			return fmt.Errorf("there is no proposal %d", number)
		}
		err = d.Rename(f.ID, ps[number-1].Meaning)
	case line == "", line == "s":
	case line == "y":
		err = d.runStep(f.ID, func() error { return d.W.Accept(f.ID) })
	case line == "i":
		err = d.Ignore(f.ID)
	case line == "u":
		return d.undoAnswer()
	default:
		d.printRequested(line)
		return nil
	}
	if err == nil {
		d.at++
	}
	return err
}

// undoAnswer undoes the last answer and returns to its field.
func (d *Dialog) undoAnswer() error {
	id, err := d.Undo()
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(d.fields, func(f *wrapper.Field) bool { return f.ID == id }); i >= 0 {
		d.at = i
	}
	return nil
}

// printRequested prints the lists or the help that a line requests.
func (d *Dialog) printRequested(line string) {
	switch line {
	case "l":
		d.printList()
	case "m":
		fmt.Fprintln(d.out, strings.Join(wrapper.Meanings(), "\n"))
	default:
		if line != "?" {
			fmt.Fprintf(d.out, "%q is no answer:\n", text.OneLine(line, 40))
		}
		fmt.Fprint(d.out, Help)
	}
}

func (d *Dialog) printList() {
	for _, f := range d.W.Fields {
		fmt.Fprintf(d.out, "  %s\t%s\t%s\n", text.Printable(f.ID), cmp.Or(meaningNote(f), "-"), fields.ShortenedExample(f.Examples))
	}
}

func (d *Dialog) printSummary() {
	named, ignored := 0, 0
	for _, f := range d.W.Fields {
		switch {
		case f.Ignored:
			ignored++
		case f.Meaning != "":
			named++
		}
	}
	fmt.Fprintf(d.out, "\n%d fields have a meaning, %d are ignored, %d are open. Saved.\n", named, ignored, len(d.W.Fields)-named-ignored)
}
