package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"eventseer/classify"
	"eventseer/models"
)

// OpenModel reads a model file, or a shipped model by its name.
func OpenModel(name string) (*classify.Model, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) && !strings.Contains(name, "/") {
		return ShippedModel(name)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	m, err := classify.ReadModel(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// ShippedModel reads a shipped model by its name.
func ShippedModel(name string) (*classify.Model, error) {
	f, err := models.Files().Open(strings.TrimSuffix(name, ".model") + ".model")
	if err != nil {
		return nil, fmt.Errorf("no model file %s and no shipped model of that name, see `eventseer model list`", name)
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	return classify.ReadModel(f)
}
