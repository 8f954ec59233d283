package part

import (
	"cmp"
	lists "container/list"
	"slices"
)

// A Recent stores at most limit values by name, and removes those that were put least recently. It is not
// safe for concurrent use.
type Recent[V any] struct {
	limit int
	Last  uint64                    // number of the last put
	Known map[string]*lists.Element // of Order, by name
	Order *lists.List               // of *Dated[V], the least recent first
}

// A NumberedValue is a value with the number of the call of Put that stored it.
type NumberedValue[V any] struct {
	Name  string
	Value V
	At    uint64
}

// NewRecent returns an empty Recent.
func NewRecent[V any](limit int) *Recent[V] {
	return &Recent[V]{limit: limit, Known: map[string]*lists.Element{}, Order: lists.New()}
}

// Get returns the value of a name, and false if there is none.
func (r *Recent[V]) Get(name string) (value V, ok bool) {
	if e := r.Known[name]; e != nil {
		return e.Value.(*NumberedValue[V]).Value, true
	}
	return value, false
}

// Put sets a value and returns the name that was removed, "" if none.
func (r *Recent[V]) Put(name string, value V) (forgotten string) {
	r.Last++
	if e := r.Known[name]; e != nil {
		e.Value = &NumberedValue[V]{name, value, r.Last}
		r.Order.MoveToBack(e)
		return ""
	}
	r.Known[name] = r.Order.PushBack(&NumberedValue[V]{name, value, r.Last})
	if len(r.Known) <= r.limit {
		return ""
	}
	oldest := r.Order.Remove(r.Order.Front()).(*NumberedValue[V])
	delete(r.Known, oldest.Name)
	return oldest.Name
}

// Restore puts values in the order in which they were put before.
func (r *Recent[V]) Restore(values []NumberedValue[V]) {
	slices.SortFunc(values, func(a, b NumberedValue[V]) int { return cmp.Compare(a.At, b.At) })
	for _, d := range values {
		r.Last = d.At - 1
		r.Put(d.Name, d.Value)
	}
}
