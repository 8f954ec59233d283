package extract

import "github.com/eventseer/eventseer/eventseer"

// A shape is the relation between a date and its label on the page. It is the rule named in the source of a
// deadline.
type shape string

const (
	labelLeft   shape = "label-left"        // "Papers due: 3 May"
	labelRight  shape = "label-right"       // "3 May: papers due"
	labelList   shape = "label-list"        // one date above a list of contributions
	table       shape = "table"             // label in the row or column of a table
	term        shape = "definition-list"   // label in the term of a definition list
	neighbour   shape = "neighbour"         // label in the block before or after
	runningText shape = eventseer.ProseRule // date in running text
)

// labelShape returns the shape by which an entry was read.
func (e entry) labelShape() shape {
	if e.prose {
		return runningText
	}
	return e.shape
}
