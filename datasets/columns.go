package datasets

import (
	"fmt"
	"slices"
	"strings"
)

// Columns that the writers of ARFF files and tables make for what is no
// component, and that readers take for it.
const (
	IDColumn    = "_id"
	GroupColumn = "_group"
)

// ColumnOptions say which columns of a table or attributes of an ARFF file are
// no components.
type ColumnOptions struct {
	// Class is the name of the class. Empty means the last column.
	Class string
	// Group and ID are names too. Empty means GroupColumn and IDColumn, where
	// the file has them.
	Group, ID string
	// Missing says what becomes of missing values. Zero means MissingError.
	Missing MissingPolicy
}

// roles are the numbers of the columns that are no components, -1 for none.
type roles struct{ class, group, id int }

// find looks the columns up by name.
func (o ColumnOptions) find(at place, names []string) (r roles, err error) {
	look := func(name, standard string) int {
		if name == "" {
			return slices.Index(names, standard)
		}
		i := slices.Index(names, name)
		if i < 0 && err == nil {
			err = at.errorf(ErrFormat, "no column %q, the columns are %s", name, some(names))
		}
		return i
	}
	r = roles{len(names) - 1, look(o.Group, GroupColumn), look(o.ID, IDColumn)}
	if o.Class != "" {
		r.class = look(o.Class, "")
	}
	if err == nil && (r.class == r.group || r.class == r.id || r.group >= 0 && r.group == r.id) {
		err = at.errorf(ErrFormat, "class, group and id must be different columns: name the class")
	}
	return r, err
}

// some lists the first and the last names.
func some(names []string) string {
	const shown = 8
	if len(names) > shown {
		return fmt.Sprintf("%s, … %s (%d)", strings.Join(names[:shown-1], ", "), names[len(names)-1], len(names))
	}
	return strings.Join(names, ", ")
}

// A classList numbers class names that no header declares.
type classList struct {
	names []string
	index map[string]int
}

// add returns the number of a name, by order of appearance.
func (c *classList) add(at place, name []byte) (int, error) {
	if i, ok := c.index[string(name)]; ok {
		return i, nil
	}
	if len(c.names) == MaxClasses {
		return 0, at.errorf(ErrTooLarge, "more than %d different classes: is the class column the right one?", MaxClasses)
	}
	if c.index == nil {
		c.index = map[string]int{}
	}
	c.names = append(c.names, string(name))
	c.index[string(name)] = len(c.names) - 1
	return len(c.names) - 1, nil
}

// sort puts the classes of v in order of their names and renumbers its rows.
func (c *classList) sort(v *Vectors) {
	v.Classes = slices.Sorted(slices.Values(c.names))
	for i := range v.Rows {
		v.Rows[i].Class, _ = slices.BinarySearch(v.Classes, c.names[v.Rows[i].Class])
	}
}
