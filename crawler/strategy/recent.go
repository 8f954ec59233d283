package strategy

import lists "container/list"

// A recent remembers the values of the names that were put last, at most limit
// of them. It is not safe for concurrent use.
type recent[V any] struct {
	limit int
	last  uint64 // number of the last put
	known map[string]*lists.Element
	order *lists.List // of *dated[V], the oldest in front
}

// dated is a value with the number of the put that set it.
type dated[V any] struct {
	name  string
	value V
	at    uint64
}

func newRecent[V any](limit int) *recent[V] {
	return &recent[V]{limit: limit, known: map[string]*lists.Element{}, order: lists.New()}
}

func (r *recent[V]) get(name string) (value V, ok bool) {
	if e := r.known[name]; e != nil {
		return e.Value.(*dated[V]).value, true
	}
	return value, false
}

// put sets a value and returns the name that is forgotten for it, "" if none.
func (r *recent[V]) put(name string, value V) (forgotten string) {
	r.last++
	if e := r.known[name]; e != nil {
		e.Value = &dated[V]{name, value, r.last}
		r.order.MoveToBack(e)
		return ""
	}
	r.known[name] = r.order.PushBack(&dated[V]{name, value, r.last})
	if len(r.known) <= r.limit {
		return ""
	}
	oldest := r.order.Remove(r.order.Front()).(*dated[V])
	delete(r.known, oldest.name)
	return oldest.name
}

// restore puts values back as they were put before, oldest first.
func (r *recent[V]) restore(values []dated[V]) {
	for _, d := range values {
		r.last = d.at - 1
		r.put(d.name, d.value)
	}
}
