package main

import (
	"fmt"
	"strings"
)

// leastGroups is in how many groups a class must have examples: one to learn
// from while the other is held out.
const leastGroups = 2

// trainable returns an error unless each class has examples in enough groups.
// It names the class's only page by file and line, and says what to do.
func (c *corpus) trainable(files []string) error {
	for k, class := range c.classes {
		first, groups := -1, map[string]bool{}
		for i, other := range c.class {
			if other != k {
				continue
			}
			if first < 0 {
				first = i
			}
			groups[c.groups[i]] = true
		}
		switch {
		case first < 0:
			return fmt.Errorf("%s: class %q has no example: label pages of it from %d sites or more", strings.Join(files, ", "), class, leastGroups)
		case len(groups) < leastGroups:
			return fmt.Errorf("%s: class %q has examples in this group only, so it cannot be learnt and measured: label pages of it from another site",
				c.placeOf(first, files), class)
		}
	}
	return nil
}

// placeOf is file and line of document i's label; of vectors the file.
func (c *corpus) placeOf(i int, files []string) string {
	if i >= len(c.labels) {
		return strings.Join(files, ", ")
	}
	line := c.labels[i].Line
	for f, size := range c.sizes {
		if i < size && f < len(files) {
			return fmt.Sprintf("%s:%d", files[f], line)
		}
		i -= size
	}
	return strings.Join(files, ", ")
}
