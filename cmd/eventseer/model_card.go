package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"eventseer/classify/train"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/models"

	"github.com/spf13/cobra"
)

func newModelCardCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "card MODEL", Short: "Print a model's card: what it is for, how it was made, what it can do",
		Long: "Print a model's card. That of a shipped model is the one it came with; that of a\nmodel file is made from the file and cannot say where the model fails: train\n--card writes that.",
		Example: `  eventseer model card cfp
  eventseer model card my.model -o my.md`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, names []string) error {
			card, err := cardOf(names[0])
			if err != nil {
				return err
			}
			return a.Printf("%s", card)
		},
	}
}

// cardOf returns the card of a model file, or of a shipped model by its name.
func cardOf(name string) (string, error) {
	_, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) && !strings.Contains(name, "/") {
		card, err := fs.ReadFile(models.Files(), strings.TrimSuffix(name, ".model")+".md")
		if err == nil {
			return string(card), nil
		}
	}
	m, err := engine.OpenModel(name)
	if err != nil {
		return "", err
	}
	return train.Card(m, nil), nil
}
