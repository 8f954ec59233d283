package field

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed fields.tsv
var table string

// A Field is one field of research or practice. Fields are grouped into disciplines.
type Field struct {
	// ID is a permanent identifier in lower-case letters, such as "databases". Name and Discipline are
	// shown to readers. Description is one line about the content of the field.
	ID          string `json:"id"`
	Discipline  string `json:"discipline"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// series are names, in lower case, that lists of series use for the field. descriptors are topics of
	// the field; they are training data of the model.
	series, descriptors []string
}

// IsGeneral reports whether the field represents its whole discipline. An event gets a general field if the
// discipline is probable but none of its other fields is.
func (f Field) IsGeneral() bool { return f.Name == f.Discipline }

var load = sync.OnceValues(func() ([]Field, map[string]int) {
	fields, err := parse(table)
	if err != nil {
		panic("field: " + err.Error()) // the table is embedded in the program and covered by tests
	}
	byWord := map[string]int{}
	for i, f := range fields {
		for _, word := range append([]string{f.ID, strings.ToLower(f.Name)}, f.series...) {
			byWord[word] = i
		}
	}
	return fields, byWord
})

// parse parses a table of fields: one field per line, in six columns separated by tabs.
func parse(text string) (fields []Field, err error) {
	for n, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) != 6 || c[0] == "" || c[1] == "" || c[2] == "" || c[3] == "" || c[5] == "" {
			return nil, fmt.Errorf("fields.tsv, line %d: %d columns, want 6 of which only the fifth may be empty", n+1, len(c))
		}
		f := Field{ID: c[0], Discipline: c[1], Name: c[2], Description: c[3], descriptors: strings.Split(c[5], ";")}
		for word := range strings.SplitSeq(c[4], ";") {
			if word != "" {
				f.series = append(f.series, strings.ToLower(word))
			}
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// IndexOf returns the index in All of the field with the given id, and false if there is no such field.
func IndexOf(id string) (int, bool) {
	fields, byWord := load()
	i, ok := byWord[id]
	return i, ok && fields[i].ID == id
}

// Names returns the names of the fields with the given ids, separated by commas. Unknown ids are left out.
func Names(ids []string) string {
	fields, _ := load()
	var names []string
	for _, id := range ids {
		if i, ok := IndexOf(id); ok {
			names = append(names, fields[i].Name)
		}
	}
	return strings.Join(names, ", ")
}

// All returns a copy of all fields in the order of the table.
func All() []Field {
	fields, _ := load()
	return slices.Clone(fields)
}

// Named returns the field that word names: by its id, its name, or a name that lists of series use. Upper and
// lower case are equal.
func Named(word string) (Field, bool) {
	fields, byWord := load()
	i, ok := byWord[strings.ToLower(strings.TrimSpace(word))]
	if !ok {
		return Field{}, false
	}
	return fields[i], true
}

// Within returns the ids of the fields that a query for the field id matches. For a general field these are
// all fields of its discipline, otherwise id alone. It returns nil if id is unknown.
func Within(id string) (ids []string) {
	of, ok := Named(id)
	if !ok || of.ID != id {
		return nil
	}
	for _, f := range All() {
		if f.ID == id || of.IsGeneral() && f.Discipline == of.Discipline {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// Containing returns the ids of the fields whose queries match an event of the field id: id itself and the
// general field of its discipline. It returns nil if id is unknown.
func Containing(id string) (ids []string) {
	of, ok := Named(id)
	if !ok || of.ID != id {
		return nil
	}
	ids = []string{id}
	for _, f := range All() {
		if f.ID != id && f.IsGeneral() && f.Discipline == of.Discipline {
			ids = append(ids, f.ID)
		}
	}
	return ids
}
