// Package models embeds the shipped model files. It returns their bytes; package classify reads them. At
// the root are cfp.model, page-type.model, link.model, layer.model, topic.model, discipline.model,
// block-role.model, date-kind.model, place.model, topic-list.model, person.model, name.model,
// acronym.model, gate.model and pair.model, each with its card NAME.md.
//
// The folder crossfit has one folder per fold with the cfp, page-type and link models trained without the
// fold, and the table folds. crossfit/layer has the same for the layer model, whose folds differ.
package models

import (
	"embed"
	"io/fs"
)

//go:embed *.model *.md crossfit
var files embed.FS

// Files returns the shipped files as a read-only file system.
func Files() fs.FS { return files }
