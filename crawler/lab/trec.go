package lab

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// WriteQrels writes the targets as judgements that trec_eval reads: a topic is a
// draw of seeds and a repeat, for each the same targets.
func (e *Experiment) WriteQrels(w io.Writer) error {
	urls := make([]string, len(e.Targets))
	for i, t := range e.Targets {
		urls[i] = docno(t.URL)
	}
	slices.Sort(urls)
	out := bufio.NewWriter(w)
	for _, draw := range e.Seeds {
		for r := range e.Repeats {
			for _, url := range urls {
				fmt.Fprintf(out, "%s 0 %s 1\n", topicName(draw, r), url)
			}
		}
	}
	return out.Flush()
}

// WriteTREC writes what one cell fetched as a ranking: a page's rank is its place
// among the pages fetched. Its score falls by 1 a rank, for trec_eval orders by
// scores alone, and keeps them in single precision: all up to MaxBudget differ.
func WriteTREC(w io.Writer, c Cell, visits iter.Seq2[Visit, error]) error {
	out := bufio.NewWriter(w)
	seen := map[string]bool{}
	for v, err := range visits {
		if err != nil {
			return err
		}
		if v.Call || v.Cost == 0 || v.Status != http.StatusOK || seen[v.URL] {
			continue
		}
		seen[v.URL] = true
		rank := len(seen)
		fmt.Fprintf(out, "%s Q0 %s %d %d %s\n", topicName(c.Seeds, c.Repeat), docno(v.URL), rank, MaxBudget-rank, c.Strategy)
	}
	return out.Flush()
}

// topicName names the ranking of a draw and a repeat as their folder is named:
// trec_eval knows one ranking a topic.
func topicName(draw string, repeat int) string { return docno(draw) + "-" + strconv.Itoa(repeat) }

// docno makes one field of a text.
func docno(s string) string { return strings.Join(strings.Fields(s), "%20") }
