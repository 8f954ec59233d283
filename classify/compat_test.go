package classify

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features"
)

// readOld reads a model of format version 1. The program of that version wrote testdata/*.v1.model
// from a dozen small pages of our own: topic from the words of the body alone, cfp also from the
// structure as it was then.
func readOld(name string) (*Model, error) {
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	return ReadModel(f)
}

func TestModelsOfVersion1(t *testing.T) {
	m, err := readOld("topic.v1.model")
	if err != nil {
		t.Fatal(err)
	}
	call := m.Scores(features.ReadText("We invite papers on owls. Submission deadline 1 May 2027."))
	walk := m.Scores(features.ReadText("Today we walked to the bridges and had tea."))
	if call[1] <= walk[1] {
		t.Errorf("a call scores %v, a walk %v", call[1], walk[1])
	}
	_, err = readOld("cfp.v1.model")
	if !errors.Is(err, ErrIncompatible) || !strings.Contains(err.Error(), "train it again") {
		t.Errorf("a model of another structure: %v", err)
	}
}
