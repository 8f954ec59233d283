// Package reproduce measures the tables of paper 002 that describe context graphs, and writes them into a document.
package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/contextgraph/target"
)

const (
	// Draw is the number of targets of a draw, as in the paper.
	Draw = 40
	// layers is the number of layers of a graph, including that of the targets.
	layers = 5
)

// PaperKB are the sizes of the layers in KB that table 4.1 of the paper prints, by discipline in its order.
var PaperKB = []struct {
	Discipline string
	KB         [layers]int
}{
	{"informatics", [layers]int{2, 13, 64, 305, 1504}},
	{"mathematics", [layers]int{2, 9, 35, 143, 307}},
	{"physics", [layers]int{2, 4, 18, 57, 271}},
	{"chemistry", [layers]int{2, 2, 8, 31, 155}},
	{"sociology", [layers]int{3, 4, 10, 33, 133}},
}

// A Discipline is the input of two rows of the table: targets and the links to them.
type Discipline struct {
	Name    string
	Web     string // where targets and links come from
	Targets []target.Target
	Links   contextgraph.BacklinkSource
	PaperKB [layers]int
}

// A Figure is the mean and the standard deviation of the draws.
type Figure struct{ Mean, SD float64 }

// A LayerSize is the size of a layer over the draws.
type LayerSize struct {
	Pages Figure
	KB    Figure // of a list of its URLs, one per line, duplicates included, as the paper counts
}

// Sizes builds a graph for each of the draws 1 to draws and returns the sizes of the layers. A discipline needs Draw targets.
func Sizes(ctx context.Context, d Discipline, draws int, inSite bool) (sizes [layers]LayerSize, err error) {
	if len(d.Targets) < Draw {
		return sizes, fmt.Errorf("%s has %d targets, fewer than %d; name a web with more", d.Name, len(d.Targets), Draw)
	}
	if draws < 2 {
		return sizes, fmt.Errorf("a standard deviation needs 2 draws or more, not %d", draws)
	}
	var pages, kb [layers][]float64
	for seed := range draws {
		drawn := target.URLs(target.DrawTargets(d.Targets, Draw, uint64(seed)+1))
		g, err := contextgraph.Build(ctx, drawn, contextgraph.Options{Name: d.Name, Asker: d.Links, Layers: layers, PerPage: contextgraph.MaxPerPage, InSite: inSite})
		if err != nil {
			return sizes, fmt.Errorf("context graph of %s, draw %d: %w", d.Name, seed+1, err)
		}
		if g.Ended != "" {
			return sizes, fmt.Errorf("context graph of %s, draw %d: it ended at its limit of %s; use a smaller web", d.Name, seed+1, g.Ended)
		}
		stats := g.Stats()
		for i := range layers {
			var l contextgraph.LayerStats // empty beyond the last layer
			if i < len(stats.Layers) {
				l = stats.Layers[i]
			}
			pages[i] = append(pages[i], float64(l.Nodes))
			kb[i] = append(kb[i], l.WalkBytes/1024)
		}
	}
	for i := range layers {
		sizes[i] = LayerSize{figureOf(pages[i]), figureOf(kb[i])}
	}
	return sizes, nil
}

// figureOf returns mean and sample standard deviation.
func figureOf(values []float64) (f Figure) {
	for _, v := range values {
		f.Mean += v / float64(len(values))
	}
	for _, v := range values {
		f.SD += (v - f.Mean) * (v - f.Mean)
	}
	f.SD = math.Sqrt(f.SD / float64(len(values)-1))
	return f
}

// LayerTable returns table 4.1 as Markdown: the paper's sizes, and ours between sites and with links within sites.
func LayerTable(ctx context.Context, disciplines []Discipline, draws int) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%d draws of %d targets (seeds 1 to %d), mean ± standard deviation, layers 0/1/2/3/4.\n\n", draws, Draw, draws)
	b.WriteString("| discipline | web | links | KB: paper | KB as in the paper | pages |\n|---|---|---|---|---|---|\n")
	for _, d := range disciplines {
		for _, inSite := range []bool{false, true} {
			sizes, err := Sizes(ctx, d, draws, inSite)
			if err != nil {
				return "", err
			}
			var paper, kb, pages []string
			for i, s := range sizes {
				paper = append(paper, fmt.Sprint(d.PaperKB[i]))
				kb = append(kb, s.KB.text(1))
				pages = append(pages, s.Pages.text(0))
			}
			links := "between sites"
			if inSite {
				links = "within sites too"
			}
			fmt.Fprintf(&b, "| %s | %s, %d targets | %s | %s | %s | %s |\n", d.Name, d.Web, len(d.Targets), links, strings.Join(paper, "/"), strings.Join(kb, " / "), strings.Join(pages, " / "))
		}
	}
	return b.String(), nil
}

// text writes a figure, with decimals below 10 only.
func (f Figure) text(decimals int) string {
	if f.Mean >= 10 {
		decimals = 0
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, f.Mean, decimals, f.SD)
}

// paperParents are the numbers of parents by page type in tables 4.2 (training) and 4.3 (test).
var paperParents = []struct {
	label, name    string
	training, test int
}{
	{"cfp_list", "CFP list", 24, 29}, {"institution_topic", "institution or topic", 13, 15}, {"conference", "conference", 10, 17},
	{"mail_announcement", "mail announcement", 6, 1}, {"homepage", "homepage", 33, 33}, {"weblog", "weblog", 18, 2},
}

// ParentTable returns tables 4.2 and 4.3 as Markdown. They count the types of the pages of other sites that link to a
// target; types are the labels.
func ParentTable(ctx context.Context, targets []target.Target, links contextgraph.BacklinkSource, types map[string]string) (string, error) {
	g, err := contextgraph.Build(ctx, target.URLs(targets), contextgraph.Options{Asker: links, Layers: 2, PerPage: contextgraph.MaxPerPage})
	if err != nil {
		return "", fmt.Errorf("parents of the targets: %w", err)
	}
	contextgraph.SetTypes([]*contextgraph.Graph{g}, types)
	stats := g.Stats()
	var b strings.Builder
	pages, edges, other := 0, 0, contextgraph.TypeCount{}
	counts := map[string]contextgraph.TypeCount{}
	for _, p := range stats.Parents {
		pages, edges = pages+p.Pages, edges+p.Links
		counts[p.Type] = p
		if !slices.ContainsFunc(paperParents, func(row struct {
			label, name    string
			training, test int
		}) bool {
			return row.label == p.Type
		}) {
			other.Pages, other.Links = other.Pages+p.Pages, other.Links+p.Links
		}
	}
	fmt.Fprintf(&b, "%d pages of other sites have %d links to the %d targets.\n\n", pages, edges, len(targets))
	b.WriteString("| class | paper: training (table 4.2) | paper: test (4.3) | ours, by label: pages (links) |\n|---|---|---|---|\n")
	for _, row := range paperParents {
		fmt.Fprintf(&b, "| %s | %d | %d | %d (%d) |\n", row.name, row.training, row.test, counts[row.label].Pages, counts[row.label].Links)
	}
	fmt.Fprintf(&b, "| call, other, off topic | | | %d (%d) |\n", other.Pages, other.Links)
	return b.String(), nil
}
