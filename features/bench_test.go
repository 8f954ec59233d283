package features

import (
	"fmt"
	"strings"
	"testing"
)

// benchTree is a page of some 900 words.
func benchTree(i int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "<title>Workshop %d</title><h1>Call for Papers</h1>", i)
	for j := range 30 {
		fmt.Fprintf(&s, "<p>We invite original submissions on the flight, the songs and the habits of owls number%c%c in winter; "+
			"papers are due %d May 2026 and <a href=p%d.html>shorter notes</a> are welcome too.", 'a'+(i+j)%26, 'a'+j%26, j%31+1, j)
	}
	return s.String()
}

func BenchmarkRead(b *testing.B) {
	t := tree(b, benchTree(0))
	b.SetBytes(int64(len(t.Text())))
	b.ReportAllocs()
	for b.Loop() {
		Read(t)
	}
}

// A crawl reads the text of every link it finds: some µs and a few kB each.
func BenchmarkReadText(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ReadText("Call for papers: songs of owls 2027")
	}
}

func BenchmarkVector(b *testing.B) {
	var docs []*Document
	for i := range 50 {
		docs = append(docs, Read(tree(b, benchTree(i))))
	}
	v := fit(b, DefaultOptions(), nil, docs...)
	b.ReportAllocs()
	for b.Loop() {
		v.Vector(docs[0])
	}
}

// Telling the language of a page takes some 10 µs: the sample is bounded.
func BenchmarkLanguage(b *testing.B) {
	text := tree(b, benchTree(0)).Text()
	b.ReportAllocs()
	for b.Loop() {
		languageOf(text, "en")
	}
}
