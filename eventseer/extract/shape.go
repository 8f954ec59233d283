package extract

// A shape is how a date and what it is for are on the page; it is the rule named in a deadline's
// source.
type shape string

const (
	labelLeft   shape = "label-left"      // "Papers due: 3 May"
	labelRight  shape = "label-right"     // "3 May: papers due"
	labelList   shape = "label-list"      // one date over a list of what is due
	table       shape = "table"           // label in the row or column of a table
	term        shape = "definition-list" // label in the term above
	neighbour   shape = "neighbour"       // label in the block before or after
	runningText shape = "prose"           // in running text
)

// rule returns the shape an entry was read by.
func (e entry) rule() shape {
	if e.prose {
		return runningText
	}
	return e.shape
}

// shapeConfidence is the share of deadlines of a shape whose kind and date are
// right on the 156 pages of ../shared/corpora/gold, (right+1)/(read+2);
// TestShapeConfidence counts again:
//
//	CI=true go test -run ShapeConfidence -v ./eventseer/extract
var shapeConfidence = map[shape]float64{
	labelLeft:   0.96,
	labelRight:  0.94,
	labelList:   0.92,
	table:       0.97,
	term:        0.83,
	neighbour:   0.89,
	runningText: 0.94,
}
