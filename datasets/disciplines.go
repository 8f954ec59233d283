package datasets

import (
	_ "embed"
	"strings"
)

//go:embed disciplines.txt
var disciplinesText string

// A TopicList names topics of one part of a discipline, as a call for papers would.
type TopicList struct {
	Discipline string
	Topics     string // separated by commas
}

// Disciplines returns several lists of topics for each discipline, written for
// this project: what a classifier of disciplines learns from beside pages, of
// which most disciplines have too few sites.
func Disciplines() []TopicList {
	var lists []TopicList
	discipline := ""
	for line := range strings.Lines(disciplinesText) {
		line = strings.TrimSpace(line)
		switch name, isName := strings.CutPrefix(line, "["); {
		case line == "" || line[0] == '#':
		case isName:
			discipline = strings.TrimSuffix(name, "]")
		default:
			lists = append(lists, TopicList{discipline, line})
		}
	}
	return lists
}
