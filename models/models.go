// Package models holds the shipped model files: cfp.model, page-type.model,
// link.model, layer.model, topic.model, discipline.model, block-role.model, date-kind.model,
// place.model, topic-list.model, person.model, name.model, acronym.model, gate.model and pair.model at the root,
// each with its card NAME.md, and under crossfit one folder a fold with the cfp, page-type
// and link models trained without it, beside the table folds; crossfit/layer holds
// the same for the layer model, whose folds are others.
// It gives bytes; package classify reads them.
package models

import (
	"embed"
	"io/fs"
)

//go:embed *.model *.md crossfit
var files embed.FS

// Files returns the shipped files. They are read-only.
func Files() fs.FS { return files }
