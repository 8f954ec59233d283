package main

import (
	"cmp"
	"errors"
	"slices"

	"eventseer/eventseer/wrapper"
)

// An annotation gives the fields of a wrapper their meanings, and saves each step. It is
// for one goroutine.
type annotation struct {
	w    *wrapper.Wrapper
	save func(*wrapper.Wrapper) error
	done []annotationStep
}

// An annotationStep is what the fields were before a step.
type annotationStep struct {
	field  string // the one it was about
	before map[string]fieldMeaning
}

// A fieldMeaning is what annotating says of a field.
type fieldMeaning struct {
	meaning, by string
	strength    float64
	ignored     bool
}

// errNothingDone says that there is no step to take back.
var errNothingDone = errors.New("there is nothing to undo")

// do takes a step about a field and saves it; what cannot be saved is not done.
func (n *annotation) do(field string, step func() error) error {
	before := n.meanings()
	err := step()
	if err == nil {
		err = n.save(n.w)
	}
	if err != nil {
		n.restore(before)
		return err
	}
	n.done = append(n.done, annotationStep{field, before})
	return nil
}

func (n *annotation) accept(id string) error {
	return n.do(id, func() error { return n.w.Accept(id) })
}

func (n *annotation) rename(id, meaning string) error {
	return n.do(id, func() error { return n.w.Rename(id, meaning) })
}

func (n *annotation) ignore(id string) error {
	return n.do(id, func() error { return n.w.Ignore(id) })
}

// undo takes the last step back and returns the field it was about.
func (n *annotation) undo() (field string, err error) {
	if len(n.done) == 0 {
		return "", errNothingDone
	}
	last := n.done[len(n.done)-1]
	now := n.meanings()
	n.restore(last.before)
	if err := n.save(n.w); err != nil {
		n.restore(now)
		return "", err
	}
	n.done = n.done[:len(n.done)-1]
	return last.field, nil
}

func (n *annotation) meanings() map[string]fieldMeaning {
	all := make(map[string]fieldMeaning, len(n.w.Fields))
	for _, f := range n.w.Fields {
		all[f.ID] = fieldMeaning{f.Meaning, f.By, f.Strength, f.Ignored}
	}
	return all
}

func (n *annotation) restore(all map[string]fieldMeaning) {
	for _, f := range n.w.Fields {
		if m, ok := all[f.ID]; ok {
			f.Meaning, f.By, f.Strength, f.Ignored = m.meaning, m.by, m.strength, m.ignored
		}
	}
}

// open lists the fields that nobody has said anything of, all of them if all is set: those
// with the strongest proposals first, then in order.
func (n *annotation) open(all bool) []*wrapper.Field {
	fields := slices.DeleteFunc(slices.Clone(n.w.Fields), func(f *wrapper.Field) bool { return !all && answered(f) })
	best := make(map[*wrapper.Field]float64, len(fields))
	for _, f := range fields {
		if ps := n.w.Proposals(f); len(ps) > 0 {
			best[f] = ps[0].Strength
		}
	}
	slices.SortStableFunc(fields, func(a, b *wrapper.Field) int { return cmp.Compare(best[b], best[a]) })
	return fields
}

// answered reports whether a person has said something of a field.
func answered(f *wrapper.Field) bool { return f.By == wrapper.ByOperator || f.Ignored }
