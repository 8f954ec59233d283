package wrapper

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"eventseer/eventseer"
)

// The file of a wrapper is one JSON object: format, version, the SHA-256 of the bytes
// of "wrapper" as written, and that itself.
const (
	fileFormat  = "eventseer-wrapper"
	fileVersion = 1 // 1: issue 8
)

// MaxFile bounds the file of a wrapper, in bytes.
const MaxFile = 64 << 20

// Errors of Decode.
var (
	ErrFormat   = errors.New("no wrapper file")
	ErrVersion  = errors.New("wrapper file of another version")
	ErrChecksum = errors.New("wrapper file is damaged")
)

type file struct {
	Format   string          `json:"format"`
	Version  int             `json:"version"`
	Checksum string          `json:"checksum"`
	Wrapper  json.RawMessage `json:"wrapper"`
}

type wrapperFile struct {
	Host    string     `json:"host"`
	Pattern string     `json:"pattern"`
	Kind    Kind       `json:"kind"`
	Status  Status     `json:"status"`
	Pages   int        `json:"pages"`
	Nodes   int        `json:"nodes"`
	Named   int        `json:"named"`
	Root    *nodeFile  `json:"root,omitempty"`
	Views   []viewFile `json:"views"`
	Ledger  Ledger     `json:"ledger"`
}

type nodeFile struct {
	ID      int            `json:"id"`
	Name    string         `json:"name"`
	Path    string         `json:"path"`
	Items   int            `json:"items"`
	Pages   int            `json:"pages"`
	Last    int            `json:"last"`
	Repeats bool           `json:"repeats,omitempty"`
	Says    bool           `json:"says,omitempty"`
	Least   int            `json:"least,omitempty"`
	Most    int            `json:"most,omitempty"`
	Hash    uint64         `json:"hash"`
	Classes counts[string] `json:"classes,omitempty"`
	Labels  counts[string] `json:"labels,omitempty"`
	Sketch  counts[uint64] `json:"sketch,omitempty"`
	Words   counts[uint64] `json:"words,omitempty"`
	Texts   counts[string] `json:"texts,omitempty"`
	Core    *core          `json:"core,omitempty"`
	Slots   []slotFile     `json:"slots,omitempty"`
}

type slotFile struct {
	Nodes  []*nodeFile `json:"nodes"`
	Before [][2]int    `json:"before,omitempty"`
	Free   bool        `json:"free,omitempty"`
}

type viewFile struct {
	Key    viewKey `json:"key"`
	Field  *Field  `json:"field"`
	Listed bool    `json:"listed,omitempty"`
	Pages  int     `json:"pages"`
	Last   int     `json:"last"`
	Most   int     `json:"most"`
	Sum    uint64  `json:"sum"`
	First  uint64  `json:"first"`
	Varied bool    `json:"varied,omitempty"`
	Term   bool    `json:"term,omitempty"`
	Label  bool    `json:"label,omitempty"`
}

// Encode returns the file of the wrapper: all it needs to read pages and to go on
// learning. The same wrapper gives the same bytes.
func (w *Wrapper) Encode() ([]byte, error) {
	out := wrapperFile{
		Host: w.Host, Pattern: w.Pattern, Kind: w.Kind, Status: w.Status, Pages: w.Pages,
		Nodes: w.nodes, Named: w.named, Views: []viewFile{}, Ledger: w.Ledger,
	}
	if w.root != nil {
		out.Root = w.root.file()
	}
	listed := w.listed()
	w.eachNode(func(t, _ *templateNode) {
		keys := slices.Clone(w.byNode[t.id])
		slices.SortStableFunc(keys, func(a, b viewKey) int { return compareBools(a.labelled(), b.labelled()) })
		for _, key := range keys {
			v := w.views[key]
			out.Views = append(out.Views, viewFile{
				Key: key, Field: v.field, Listed: listed[v.field], Pages: v.pages, Last: v.last, Most: v.most,
				Sum: v.sum, First: v.first, Varied: v.varied, Term: v.term, Label: v.label,
			})
		}
	})
	body, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode wrapper of %s%s: %w", w.Host, w.Pattern, err)
	}
	data, err := json.Marshal(file{Format: fileFormat, Version: fileVersion, Checksum: checksum(body), Wrapper: body})
	if err != nil {
		return nil, fmt.Errorf("encode wrapper of %s%s: %w", w.Host, w.Pattern, err)
	}
	return append(data, '\n'), nil
}

// compareBools orders false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func checksum(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

func (t *templateNode) file() *nodeFile {
	out := &nodeFile{
		ID: t.id, Name: t.name, Path: t.path, Items: t.items, Pages: t.pages, Last: t.last,
		Repeats: t.repeats, Says: t.says, Least: t.least, Most: t.most, Hash: t.hash, Classes: t.classes,
		Labels: t.labels, Sketch: t.sketch, Words: t.words, Texts: t.seen, Core: t.core,
	}
	for _, s := range t.slots {
		f := slotFile{Before: s.before, Free: s.free}
		for _, n := range s.nodes {
			f.Nodes = append(f.Nodes, n.file())
		}
		out.Slots = append(out.Slots, f)
	}
	return out
}

// Decode reads the file of a wrapper. It fails with ErrFormat, ErrVersion or
// ErrChecksum.
func Decode(data []byte) (*Wrapper, error) {
	var f file
	if len(data) > MaxFile {
		return nil, fmt.Errorf("%w: %d bytes, more than %d", ErrFormat, len(data), MaxFile)
	}
	if err := json.Unmarshal(data, &f); err != nil || f.Format != fileFormat {
		return nil, fmt.Errorf("%w: it does not say %q", ErrFormat, fileFormat)
	}
	if f.Version != fileVersion {
		return nil, fmt.Errorf("%w: %d, this eventseer reads %d: induce it anew", ErrVersion, f.Version, fileVersion)
	}
	if checksum(bytes.TrimSpace(f.Wrapper)) != f.Checksum {
		return nil, fmt.Errorf("%w: the checksum differs: induce it anew", ErrChecksum)
	}
	var in wrapperFile
	if err := json.Unmarshal(f.Wrapper, &in); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	w, err := in.wrapper()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return w, nil
}

func (in *wrapperFile) wrapper() (*Wrapper, error) {
	w := New(in.Host, in.Pattern)
	w.Kind, w.Status, w.Pages, w.nodes, w.named = in.Kind, in.Status, in.Pages, in.Nodes, in.Named
	w.Ledger = in.Ledger
	if in.Pages < 0 || in.Nodes < 0 || in.Nodes > MaxFile || in.Named < 0 || len(in.Views) > maxViews {
		return nil, errors.New("a number is out of range")
	}
	ids := make(map[int]bool)
	if in.Root != nil {
		var err error
		if w.root, err = in.Root.node(ids, in.Nodes); err != nil {
			return nil, err
		}
	}
	names := make(map[string]bool)
	for i := range in.Views {
		v := &in.Views[i]
		switch {
		case v.Field == nil || !ids[v.Key.Node] || w.views[v.Key] != nil:
			return nil, fmt.Errorf("view %d has no place in the template", i)
		case v.Pages < 1, v.Field.ID == "" && v.Listed, v.Field.ID != "" && names[v.Field.ID], len(v.Field.Examples) > MaxExamples:
			return nil, fmt.Errorf("view %d is damaged", i)
		}
		names[v.Field.ID] = true
		w.addView(v.Key, &view{
			field: v.Field, pages: v.Pages, last: v.Last, most: v.Most, sum: v.Sum, first: v.First,
			varied: v.Varied, term: v.Term, label: v.Label,
		})
		if v.Listed {
			w.Fields = append(w.Fields, v.Field)
		}
	}
	return w, nil
}

func (in *nodeFile) node(ids map[int]bool, most int) (*templateNode, error) {
	if in == nil || in.ID < 1 || in.ID > most || ids[in.ID] || in.Items < 1 || in.Pages < 1 || len(ids) >= 2*maxTemplateNodes {
		return nil, errors.New("a node of the template is damaged")
	}
	ids[in.ID] = true
	if !in.Classes.valid() || !in.Labels.valid() || !in.Sketch.valid() || !in.Words.valid() || !in.Texts.valid() {
		return nil, fmt.Errorf("the counts of node %d are damaged", in.ID)
	}
	t := &templateNode{
		id: in.ID, name: in.Name, path: in.Path, items: in.Items, pages: in.Pages, last: in.Last,
		repeats: in.Repeats, says: in.Says, least: in.Least, most: in.Most, hash: in.Hash, classes: in.Classes,
		labels: in.Labels, sketch: in.Sketch, words: in.Words, seen: in.Texts, core: in.Core,
	}
	for _, f := range in.Slots {
		if len(f.Nodes) == 0 {
			return nil, fmt.Errorf("a slot of node %d is empty", in.ID)
		}
		s := &slot{before: f.Before, free: f.Free}
		for _, c := range f.Nodes {
			n, err := c.node(ids, most)
			if err != nil {
				return nil, err
			}
			s.nodes = append(s.nodes, n)
		}
		t.slots = append(t.slots, s)
	}
	return t, nil
}

// valid reports whether the keys are in order and the numbers positive.
func (c counts[K]) valid() bool {
	for i, have := range c {
		if have.N < 1 || i > 0 && c[i-1].Key >= have.Key {
			return false
		}
	}
	return len(c) <= maxFeatures
}

// maxContact is the length of the longest way to reach a person, in bytes.
const maxContact = 320

// Kept returns the first n bytes of a text as files keep it: without addresses and
// telephone numbers of people.
func Kept(text string, n int) string { return clip(eventseer.Redact(clip(text, n+maxContact)), n) }
