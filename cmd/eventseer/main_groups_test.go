package main

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/menu"
)

func TestVerbGroups(t *testing.T) {
	root := newRootCommand(&app.App{})
	listed := map[string]bool{"man": true}
	for _, g := range menu.Groups {
		for verb := range strings.FieldsSeq(g.Commands) {
			if cmd, _, err := root.Find([]string{verb}); err != nil || cmd.Name() != verb || listed[verb] {
				t.Errorf("%s is no verb, or is listed twice", verb)
			}
			listed[verb] = true
		}
	}
	for _, cmd := range root.Commands() {
		if !listed[cmd.Name()] {
			t.Errorf("%s stands under no heading of --help", cmd.Name())
		}
	}
}
