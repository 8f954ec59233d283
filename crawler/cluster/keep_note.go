package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"eventseer/crawler"
)

// A holding is what a frontier has noted of a partition.
type holding struct {
	Phase phase  `json:"phase,omitempty"`
	Token uint64 `json:"token,omitempty"`
	// State is the object that is written where Phase is left, else one to be deleted.
	State string `json:"state,omitempty"`
	// Seen is the Part.Lost whose links were sent again.
	Seen uint64 `json:"seen,omitempty"`
}

// A phase says how far a crawler is with a partition.
type phase string

// The phases.
const (
	away   phase = ""       // nothing of it is here but links that were sent
	taking phase = "taking" // all of it is here; the bucket gets, or has, this token
	left   phase = "left"   // all of it is in the object; the bucket gets, or has, the token after this
)

const holdingPrefix = notePrefix + "part/"

func (h holding) note(n int) crawler.Note {
	value, err := json.Marshal(h)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return crawler.Note{Key: fmt.Sprintf("%s%04d", holdingPrefix, n), Value: value}
}

func readHolding(number string, value []byte) (n int, h holding, err error) {
	n, err = strconv.Atoi(number)
	if err == nil && (n < 0 || n >= MaxPartitions) {
		err = fmt.Errorf("partition %d cannot be", n)
	}
	if err == nil {
		err = json.Unmarshal(value, &h)
	}
	if err != nil {
		err = fmt.Errorf("note %s%s of the frontier: %w", holdingPrefix, number, err)
	}
	return n, h, err
}

// hold notes a holding.
func (w *Worker) hold(ctx context.Context, n int, h holding) error {
	if err := w.note(ctx, h.note(n)); err != nil {
		return err
	}
	w.holds(n, h)
	return nil
}

// holds remembers a holding that was noted.
func (w *Worker) holds(n int, h holding) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[n] = h
	w.wake()
}

// reclaim makes all that was owned something to be taken, at the next token: whoever
// is about to take it away finds it changed.
func (w *Worker) reclaim(ctx context.Context) error {
	w.mu.Lock()
	next := map[int]holding{}
	var notes []crawler.Note
	for n := range w.conf.Partitions {
		p, h := w.seen.parts[n], w.held[n]
		if h.Phase == taking && p.Owner == w.o.Name && p.Token == h.Token {
			h.Token++
			next[n] = h
			notes = append(notes, h.note(n))
		}
	}
	w.mu.Unlock()
	if err := w.note(ctx, notes...); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for n, h := range next {
		w.held[n] = h
	}
	return nil
}
