// Package models holds the shipped model files as bytes; package classify reads them. At the root are cfp.model,
// page-type.model, link.model, layer.model, topic.model, discipline.model, block-role.model, date-kind.model,
// place.model, topic-list.model, person.model, name.model, acronym.model, gate.model and pair.model, each with
// its card NAME.md. Under crossfit there is one folder per fold with the cfp, page-type and link models trained
// without it, beside the table folds; crossfit/layer holds the same for the layer model, whose folds differ. It
// gives bytes; package classify reads them.
package models

import (
	"embed"
	"io/fs"
)

//go:embed *.model *.md crossfit
var files embed.FS

// Files returns the shipped files. They are read-only.
func Files() fs.FS { return files }
