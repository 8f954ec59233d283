package edgeindex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/webgraph"
)

// No damage of the file goes unnoticed or ends the process.
func TestEdgeIndexDamage(t *testing.T) {
	x, _ := buildEdges(t, nil, "http://a.net/ http://conf.org/1\nhttp://a.net/ http://conf.org/2\n")
	whole, err := os.ReadFile(x.file.Name())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.edges")
	if IsIndex(path) || !IsIndex(x.file.Name()) {
		t.Error("IsEdgeIndex")
	}
	try := func(what string, data []byte) {
		writeFile(t, path, string(data))
		x, err := Open(path)
		if err == nil {
			err = x.Check(context.Background())
			_, _ = x.Backlinks(context.Background(), backlink.Query{Target: "http://conf.org/", Scope: backlink.Domain, Limit: 9})
			_ = x.Close() // read only
		}
		if !errors.Is(err, ErrEdgeIndex) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range whole {
		data := bytes.Clone(whole)
		data[i] ^= 0x41
		try(fmt.Sprint("byte ", i), data)
		try(fmt.Sprint("cut at ", i), whole[:i])
	}
	var failed *backlink.ProviderError
	for _, q := range []backlink.Query{
		{Target: "ftp://x/"}, {Target: ""}, {Target: "http://a.org/", Scope: 7}, {Target: "http://a.org/", Cursor: "x"}, {Target: "http://a.org/", Cursor: "-1."},
		{Target: "http://a.org/", Cursor: "1.AAAA"}, {Target: "http://a.org/", Cursor: strings.Repeat("1", maxCursor+1)},
	} {
		if _, err := x.Backlinks(context.Background(), q); !errors.As(err, &failed) || failed.Trouble != backlink.Nonsense {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

func FuzzEdgeIndexInput(f *testing.F) {
	f.Add(edgeText, "http://conf.org/")
	f.Add("source,target\nhttp://a.net/,\"http://b.org/\"", "http://b.org/")
	f.Fuzz(func(t *testing.T, text, url string) {
		dir := t.TempDir()
		o := Options{Path: filepath.Join(dir, "x.edges"), Inputs: []string{writeFile(t, filepath.Join(dir, "x.tsv"), text)}}
		if _, err := Build(context.Background(), o); err != nil {
			return
		}
		x, err := Open(o.Path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = x.Close() }() // read only
		if err := x.Check(context.Background()); err != nil {
			t.Error(err)
		}
		if _, err := webgraph.Canonical(url); err != nil {
			return
		}
		for _, s := range x.Scopes() {
			for _, source := range edgeSourcesOf(t, x, backlink.Query{Target: url, Scope: s, Limit: 3}) {
				if webgraph.SameSite(webgraph.HostOf(source), webgraph.HostOf(url)) {
					t.Errorf("%s is of the same site as %s", source, url)
				}
			}
		}
	})
}

func FuzzEdgeIndexFile(f *testing.F) {
	x, _ := buildEdges(f, nil, edgeText)
	whole, err := os.ReadFile(x.file.Name())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := Open(writeFile(t, filepath.Join(t.TempDir(), "x.edges"), string(data)))
		if err != nil {
			return
		}
		_ = x.Check(context.Background())
		_, _ = x.Backlinks(context.Background(), backlink.Query{Target: "http://conf.org/", Scope: backlink.Domain, Limit: 9})
		_ = x.Close() // read only
	})
}
