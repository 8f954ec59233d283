// Package annotate gives the fields of a wrapper their meanings, step by step and in a
// dialog of lines.
package annotate

import (
	"cmp"
	"errors"
	"slices"

	"eventseer/eventseer/wrapper"
)

// An Annotation gives the fields of a wrapper their meanings, and saves each step. It is
// for one goroutine.
type Annotation struct {
	W    *wrapper.Wrapper
	Save func(*wrapper.Wrapper) error
	Done []Step
}

// A Step is what the fields were before a step.
type Step struct {
	field  string // the one it was about
	before map[string]meaning
}

// A meaning is what annotating says of a field.
type meaning struct {
	meaning, by string
	strength    float64
	ignored     bool
}

// ErrNothingDone says that there is no step to take back.
var ErrNothingDone = errors.New("there is nothing to undo")

// New returns the annotation of a wrapper that save saves.
func New(w *wrapper.Wrapper, save func(*wrapper.Wrapper) error) *Annotation {
	return &Annotation{W: w, Save: save}
}

// do takes a step about a field and saves it; what cannot be saved is not done.
func (n *Annotation) do(field string, step func() error) error {
	before := n.meanings()
	err := step()
	if err == nil {
		err = n.Save(n.W)
	}
	if err != nil {
		n.restore(before)
		return err
	}
	n.Done = append(n.Done, Step{field, before})
	return nil
}

func (n *Annotation) accept(id string) error {
	return n.do(id, func() error { return n.W.Accept(id) })
}

// Rename gives a field a meaning.
func (n *Annotation) Rename(id, meaning string) error {
	return n.do(id, func() error { return n.W.Rename(id, meaning) })
}

// Ignore says that a field is no data.
func (n *Annotation) Ignore(id string) error {
	return n.do(id, func() error { return n.W.Ignore(id) })
}

// Undo takes the last step back and returns the field it was about.
func (n *Annotation) Undo() (field string, err error) {
	if len(n.Done) == 0 {
		return "", ErrNothingDone
	}
	last := n.Done[len(n.Done)-1]
	now := n.meanings()
	n.restore(last.before)
	if err := n.Save(n.W); err != nil {
		n.restore(now)
		return "", err
	}
	n.Done = n.Done[:len(n.Done)-1]
	return last.field, nil
}

func (n *Annotation) meanings() map[string]meaning {
	all := make(map[string]meaning, len(n.W.Fields))
	for _, f := range n.W.Fields {
		all[f.ID] = meaning{f.Meaning, f.By, f.Strength, f.Ignored}
	}
	return all
}

func (n *Annotation) restore(all map[string]meaning) {
	for _, f := range n.W.Fields {
		if m, ok := all[f.ID]; ok {
			f.Meaning, f.By, f.Strength, f.Ignored = m.meaning, m.by, m.strength, m.ignored
		}
	}
}

// Open lists the fields that nobody has said anything of, all of them if all is set: those
// with the strongest proposals first, then in order.
func (n *Annotation) Open(all bool) []*wrapper.Field {
	fields := slices.DeleteFunc(slices.Clone(n.W.Fields), func(f *wrapper.Field) bool { return !all && answered(f) })
	best := make(map[*wrapper.Field]float64, len(fields))
	for _, f := range fields {
		if ps := n.W.Proposals(f); len(ps) > 0 {
			best[f] = ps[0].Strength
		}
	}
	slices.SortStableFunc(fields, func(a, b *wrapper.Field) int { return cmp.Compare(best[b], best[a]) })
	return fields
}

// answered reports whether a person has said something of a field.
func answered(f *wrapper.Field) bool { return f.By == wrapper.ByOperator || f.Ignored }
