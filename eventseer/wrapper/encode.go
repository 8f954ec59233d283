package wrapper

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/eventseer/eventseer/eventseer"
)

// The file of a wrapper is one JSON object with format, version, wrapper, and the SHA-256 checksum of the
// bytes of wrapper.
const (
	fileFormat  = "eventseer-wrapper"
	fileVersion = 1 // 1: first version
)

// MaxFile is the maximum size of a wrapper's file, in bytes.
const MaxFile = 64 << 20

// Errors of Decode.
var (
	ErrFormat   = errors.New("no wrapper file")
	ErrVersion  = errors.New("the wrapper file has another version")
	ErrChecksum = errors.New("wrapper file is damaged")
)

type file struct {
	Format   string          `json:"format"`
	Version  int             `json:"version"`
	Checksum string          `json:"checksum"`
	Wrapper  json.RawMessage `json:"wrapper"`
}

type wrapperFile struct {
	Host    string        `json:"host"`
	Pattern string        `json:"pattern"`
	Kind    Kind          `json:"kind"`
	Status  Status        `json:"status"`
	Pages   int           `json:"pages"`
	Nodes   int           `json:"nodes"`
	Named   int           `json:"named"`
	Root    *templateNode `json:"root,omitempty"`
	Views   []viewFile    `json:"views"`
	Ledger  Ledger        `json:"ledger"`
}

// A viewFile is a view with its key.
type viewFile struct {
	Key viewKey `json:"key"`
	view
}

// Encode returns the contents of a wrapper's file. They are enough to read pages and to continue learning.
// The same wrapper gives the same bytes.
func (w *Wrapper) Encode() ([]byte, error) {
	out := wrapperFile{
		Host: w.Host, Pattern: w.Pattern, Kind: w.Kind, Status: w.Status, Pages: w.Pages,
		Nodes: w.nodes, Named: w.named, Root: w.root, Views: []viewFile{}, Ledger: w.Ledger,
	}
	w.forEachNode(func(t, _ *templateNode) {
		for _, labelled := range []bool{false, true} {
			for _, key := range w.byNode[t.ID] {
				if key.isLabelled() == labelled {
					out.Views = append(out.Views, viewFile{key, *w.views[key]})
				}
			}
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

func checksum(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// Decode parses the contents of a wrapper's file. Its errors wrap ErrFormat, ErrVersion or ErrChecksum.
func Decode(data []byte) (*Wrapper, error) {
	var f file
	if len(data) > MaxFile {
		return nil, fmt.Errorf("%w: it has %d bytes, more than %d", ErrFormat, len(data), MaxFile)
	}
	if err := json.Unmarshal(data, &f); err != nil || f.Format != fileFormat {
		return nil, fmt.Errorf("%w: it does not begin with %q", ErrFormat, fileFormat)
	}
	if f.Version != fileVersion {
		return nil, fmt.Errorf("%w: it has version %d, this program reads %d: learn the wrapper again with `eventseer wrapper induce`", ErrVersion, f.Version, fileVersion)
	}
	if checksum(bytes.TrimSpace(f.Wrapper)) != f.Checksum {
		return nil, fmt.Errorf("%w: its checksum is wrong: learn the wrapper again with `eventseer wrapper induce`", ErrChecksum)
	}
	var in wrapperFile
	if err := json.Unmarshal(f.Wrapper, &in); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	w, err := in.toWrapper()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return w, nil
}

func (in *wrapperFile) toWrapper() (*Wrapper, error) {
	w := New(in.Host, in.Pattern)
	w.Kind, w.Status, w.Pages, w.nodes, w.named = in.Kind, in.Status, in.Pages, in.Nodes, in.Named
	w.Ledger = in.Ledger
	if in.Pages < 0 || in.Nodes < 0 || in.Nodes > MaxFile || in.Named < 0 || len(in.Views) > maxViews {
		return nil, errors.New("a number is out of range")
	}
	ids := make(map[int]bool)
	if w.root = in.Root; w.root != nil {
		if err := w.root.check(ids, in.Nodes); err != nil {
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
		w.addView(v.Key, &v.view)
		if v.Listed {
			w.Fields = append(w.Fields, v.Field)
		}
	}
	return w, nil
}

// check returns an error if this node or a node below it is invalid. ids has the IDs of the nodes before; IDs
// are at most the given maximum.
func (t *templateNode) check(ids map[int]bool, most int) error {
	if t == nil || t.ID < 1 || t.ID > most || ids[t.ID] || t.Items < 1 || t.Pages < 1 || len(ids) >= 2*maxTemplateNodes {
		return errors.New("a node of the template is damaged")
	}
	ids[t.ID] = true
	if !t.Classes.isValid() || !t.Labels.isValid() || !t.Sketch.isValid() || !t.Words.isValid() || !t.Texts.isValid() {
		return fmt.Errorf("the counts of node %d are damaged", t.ID)
	}
	for _, s := range t.Slots {
		if s == nil || len(s.Nodes) == 0 {
			return fmt.Errorf("a slot of node %d is empty", t.ID)
		}
		for _, n := range s.Nodes {
			if err := n.check(ids, most); err != nil {
				return err
			}
		}
	}
	return nil
}

// isValid reports whether the keys are sorted and the numbers positive.
func (c counts[K]) isValid() bool {
	for i, have := range c {
		if have.N < 1 || i > 0 && c[i-1].Key >= have.Key {
			return false
		}
	}
	return len(c) <= maxFeatures
}

// maxContact is the maximum length of a mail address or telephone number, in bytes.
const maxContact = 320

// StoredText returns the first n bytes of a text in the form that is stored: without mail addresses and telephone
// numbers of people.
func StoredText(text string, n int) string {
	return cutToBytes(eventseer.Redact(cutToBytes(text, n+maxContact)), n)
}
