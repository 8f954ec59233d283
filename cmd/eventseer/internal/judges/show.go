package judges

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/train"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/models"
)

// PrintMeta prints the origin of a model; terms is the size of its vocabulary, "" if it has none.
func PrintMeta(w io.Writer, m classify.Meta, terms string) {
	for _, row := range [][2]string{
		{"task", m.Task}, {"algorithm", m.Algo}, {"options", m.Options}, {"seed", fmt.Sprint(m.Seed)},
		{"terms", terms}, {"data", m.Data}, {"groups", fmt.Sprint(m.Groups)},
	} {
		if row[1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
		}
	}
}

// PrintModel prints the origin, the figures and the top terms of each class of a model.
func PrintModel(w io.Writer, m *classify.Model, top int) error {
	tw := app.NewTabWriter(w)
	PrintMeta(tw, m.Meta, fmt.Sprint(m.Vectorizer.Size()))
	if m.IsBinary() {
		fmt.Fprintf(tw, "threshold\t%.4f\n", m.Threshold)
	}
	for _, f := range m.Figures {
		fmt.Fprintf(tw, "%s\t%.3f\t[%.3f, %.3f]\n", f.Name, f.Value, f.Low, f.High)
	}
	for k, class := range m.Classes {
		if m.IsBinary() && k == 0 {
			continue
		}
		fmt.Fprintf(tw, "\n%s (%d examples)\n", class, m.Counts[k])
		for _, r := range m.TopFeatures(k, top) {
			fmt.Fprintf(tw, "  %s\t%+.3f\n", r.Term, r.Weight)
		}
	}
	return tw.Flush()
}

// ModelCardOf returns the card of a model file, or of a shipped model by its name.
func ModelCardOf(name string) (string, error) {
	_, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) && !strings.Contains(name, "/") {
		card, err := fs.ReadFile(models.Files(), strings.TrimSuffix(name, ".model")+".md")
		if err == nil {
			return string(card), nil
		}
	}
	m, err := OpenModel(name)
	if err != nil {
		return "", err
	}
	return train.ModelCard(m, nil), nil
}

// longFact is the length from which a fact is printed on separate lines, in bytes.
const longFact = 40

// WriteDiff prints d for people, n terms of each kind.
func WriteDiff(w io.Writer, d *train.Diff, n int) error {
	tw := app.NewTabWriter(w)
	p := func(format string, args ...any) { fmt.Fprintf(tw, format, args...) }
	for _, f := range d.Facts {
		if len(f.A) > longFact || len(f.B) > longFact {
			p("%s\n    %s\n  → %s\n", f.Name, f.A, f.B)
			continue
		}
		p("%s\t%s\t→ %s\n", f.Name, f.A, f.B)
	}
	for _, f := range d.Figures {
		p("%s\t%s\t→ %s\n", f.Name, figureText(f.A), figureText(f.B))
	}
	for _, part := range []struct {
		name  string
		terms []string
	}{{"new", d.Added}, {"gone", d.Removed}} {
		if len(part.terms) > 0 && n > 0 {
			p("\n%s terms: %d, such as %s\n", part.name, len(part.terms), strings.Join(part.terms[:min(n, len(part.terms))], ", "))
		}
	}
	class := ""
	for _, c := range d.Weights {
		if c.Class != class {
			class = c.Class
			p("\nweights for %s that changed most\n", class)
		}
		p("  %s\t%+.3f\t→ %+.3f\n", c.Term, c.A, c.B)
	}
	if d.Pages != nil {
		p("\npages judged differently: %d of %d\n", len(d.Pages.Differ), d.Pages.Judged)
		for _, c := range d.Pages.Differ {
			p("  %s %.3f\t→ %s %.3f\t%s\n", c.A, c.AScore, c.B, c.BScore, text.Printable(c.URL))
		}
	}
	return tw.Flush()
}

func figureText(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *v)
}
