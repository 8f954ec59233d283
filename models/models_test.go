package models_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/models"
)

// maxTotal is the maximum size that the shipped models add to the program, in bytes.
const maxTotal = 10 << 20

func read(t *testing.T, name string) *classify.Model {
	t.Helper()
	data, err := fs.ReadFile(models.Files(), name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := classify.ReadModel(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}

func TestModelsCanBeRead(t *testing.T) {
	full, err := classify.ReadJudge(models.Files(), ".")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := classify.ReadCrossFitted(models.Files(), "crossfit", full); err != nil {
		t.Fatal(err)
	}
	if _, err := classify.ReadFolded(models.Files(), "crossfit/layer", read(t, "layer.model")); err != nil {
		t.Fatal(err)
	}
	if topic := read(t, "topic.model"); topic.Task != classify.TaskTopic {
		t.Errorf("topic.model is of task %q", topic.Task)
	}
	size := 0
	err = fs.WalkDir(models.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		size += int(info.Size())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if size > maxTotal {
		t.Errorf("the models take %d bytes, %d are allowed", size, maxTotal)
	}
}

// TestCardsTellTheTruth holds every number of a card against its model.
func TestCardsTellTheTruth(t *testing.T) {
	for _, name := range []string{"cfp", "page-type", "topic", "discipline", "link", "layer"} {
		m := read(t, name+".model")
		data, err := fs.ReadFile(models.Files(), name+".md")
		if err != nil {
			t.Fatal(err)
		}
		card := string(data)
		want := []string{m.Data, m.Options, fmt.Sprintf("in %d groups", m.Groups), fmt.Sprintf("%d terms", m.Vectorizer.Size())}
		if m.IsBinary() {
			want = append(want, fmt.Sprintf("from a score of %.4f", m.Threshold))
		}
		for k, class := range m.Classes {
			want = append(want, fmt.Sprintf("| %s | %d |", class, m.Counts[k]))
		}
		for _, f := range m.Figures {
			want = append(want, fmt.Sprintf("| %s | %.3f | %.3f to %.3f |", f.Name, f.Value, f.Low, f.High))
		}
		for _, text := range want {
			if !strings.Contains(card, text) {
				t.Errorf("%s.md lacks %q", name, text)
			}
		}
	}
}

// TestLogLinearCards holds every number of the cards of block roles and topics against their models.
func TestLogLinearCards(t *testing.T) {
	for _, name := range []string{"block-role", "topic-list"} {
		t.Run(name, func(t *testing.T) { checkLogLinearCard(t, name) })
	}
}

func checkLogLinearCard(t *testing.T, name string) {
	data, err := fs.ReadFile(models.Files(), name+".model")
	if err != nil {
		t.Fatal(err)
	}
	m, err := classify.ReadLogLinear(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	card, err := fs.ReadFile(models.Files(), name+".md")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{m.Data, m.Options, m.Program, fmt.Sprintf("%d features", m.Features()), fmt.Sprintf("%d blocks in %d groups", m.Examples(), m.Groups)}
	for k, class := range m.Classes {
		want = append(want, fmt.Sprintf("| %s | %d |", class, m.Counts[k]))
	}
	for _, f := range m.Figures {
		want = append(want, fmt.Sprintf("| %s | %.3f | %.3f to %.3f |", f.Name, f.Value, f.Low, f.High))
	}
	for _, text := range want {
		if !strings.Contains(string(card), text) {
			t.Errorf("%s.md lacks %q", name, text)
		}
	}
}

// TestPlaceCard holds every number of the card of places against its model.
func TestPlaceCard(t *testing.T) {
	data, err := fs.ReadFile(models.Files(), "place.model")
	if err != nil {
		t.Fatal(err)
	}
	m, err := classify.ReadLogLinear(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	card, err := fs.ReadFile(models.Files(), "place.md")
	if err != nil {
		t.Fatal(err)
	}
	if m.Outputs() != 1 || m.Calibration == nil {
		t.Errorf("%d outputs, calibration %v", m.Outputs(), m.Calibration)
	}
	want := []string{m.Options, m.Program, fmt.Sprintf("%d features", m.Features()), fmt.Sprintf("%d pages of %d owners", m.Examples(), m.Groups)}
	for _, f := range m.Figures {
		want = append(want, fmt.Sprintf("| %s | %.3f | %.3f to %.3f |", f.Name, f.Value, f.Low, f.High))
	}
	for _, text := range want {
		if !strings.Contains(string(card), text) {
			t.Errorf("place.md lacks %q", text)
		}
	}
}

// TestPersonCard holds every number of the card of people against its model.
func TestPersonCard(t *testing.T) {
	data, err := fs.ReadFile(models.Files(), "person.model")
	if err != nil {
		t.Fatal(err)
	}
	m, err := classify.ReadLogLinear(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	card, err := fs.ReadFile(models.Files(), "person.md")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{m.Data, m.Options, m.Program, fmt.Sprintf("%d features", m.Features()), fmt.Sprintf("%d possible names on pages of %d owners", m.Examples(), m.Groups)}
	for k, class := range m.Classes {
		want = append(want, fmt.Sprintf("| %s | %d |", class, m.Counts[k]))
	}
	for _, f := range m.Figures {
		want = append(want, fmt.Sprintf("| %s | %.3f | %.3f to %.3f |", f.Name, f.Value, f.Low, f.High))
	}
	for _, text := range want {
		if !strings.Contains(string(card), text) {
			t.Errorf("person.md lacks %q", text)
		}
	}
}

// TestGateCard holds every number of the gate's card against its file.
func TestGateCard(t *testing.T) {
	data, err := fs.ReadFile(models.Files(), "gate.model")
	if err != nil {
		t.Fatal(err)
	}
	g, err := classify.ReadGate(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	card, err := fs.ReadFile(models.Files(), "gate.md")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		g.Data, g.Options, g.Program, fmt.Sprintf("%d pages in %d groups", g.Examples(), g.Groups),
		fmt.Sprintf("z = %.2f + %.2f·log odds of a call + %.2f·log odds of a call or a page", g.Bias, g.Call, g.Either),
		fmt.Sprintf("from a chance of %.2f; with event dates and a day to submit by, or %d deadlines, from %.2f; with the dates of a named event in plain text from %.2f;", g.Threshold, g.Deadlines, g.Dated, g.Named),
		fmt.Sprintf("a list of events is below %.2f", g.List), fmt.Sprintf("of its host (doc/decisions/035), says yes from a chance of %.2f", g.Context),
	}
	for k, class := range g.Classes {
		want = append(want, fmt.Sprintf("| %s | %d |", class, g.Counts[k]))
	}
	for _, f := range g.Figures {
		want = append(want, fmt.Sprintf("| %s | %.3f | %.3f to %.3f |", f.Name, f.Value, f.Low, f.High))
	}
	for _, text := range want {
		if !strings.Contains(string(card), text) {
			t.Errorf("gate.md lacks %q", text)
		}
	}
	data[20] ^= 1
	if _, err := classify.ReadGate(bytes.NewReader(data)); err == nil {
		t.Error("a changed file: no error")
	}
}

// TestFoldsHoldOut checks that the models of a fold saw fewer pages than the
// full ones, of the same data.
func TestFoldsHoldOut(t *testing.T) {
	for task, dir := range map[string]string{"cfp": "crossfit", "page-type": "crossfit", "link": "crossfit", "layer": "crossfit/layer"} {
		full := read(t, task+".model")
		for fold := range 5 {
			m := read(t, fmt.Sprintf("%s/%d/%s.model", dir, fold, task))
			if m.Data != full.Data || m.Groups >= full.Groups || m.Task != task {
				t.Errorf("fold %d of %s: data %s, %d of %d groups", fold, task, m.Data, m.Groups, full.Groups)
			}
		}
	}
}

// TestNameCards holds the cards of the rankers of names and acronyms against them.
func TestNameCards(t *testing.T) {
	for _, name := range []string{"name", "acronym"} {
		data, err := fs.ReadFile(models.Files(), name+".model")
		if err != nil {
			t.Fatal(err)
		}
		m, err := classify.ReadLogLinear(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		card, err := fs.ReadFile(models.Files(), name+".md")
		if err != nil {
			t.Fatal(err)
		}
		if m.Task != name || m.Calibration == nil {
			t.Fatalf("%s.model is of task %q, calibrated %v", name, m.Task, m.Calibration != nil)
		}
		want := []string{m.Data, m.Options, m.Program, fmt.Sprintf("%d features", m.Features()), fmt.Sprintf("%d choices in %d groups", m.Examples(), m.Groups)}
		for _, f := range m.Figures {
			want = append(want, fmt.Sprintf("| %s | %.3f | %.3f to %.3f |", f.Name, f.Value, f.Low, f.High))
		}
		for i, d := range m.Calibration.Decisions {
			want = append(want, fmt.Sprintf("| %.3f | %.3f |", d, m.Calibration.Probs[i]))
		}
		for _, text := range want {
			if !strings.Contains(string(card), text) {
				t.Errorf("%s.md lacks %q", name, text)
			}
		}
	}
}
