package publish

import (
	"strconv"
	"time"

	"eventseer/eventseer/query"
)

// fieldsOf returns where the words of a term may stand.
func fieldsOf(t query.Term) fieldSet {
	switch t.Field {
	case "title":
		return setOf(inTitle)
	case "acronym":
		return setOf(inAcronym)
	case "topic":
		return setOf(inTopic)
	case "place":
		return setOf(inPlace)
	case "clip":
		return setOf(inClip)
	case "person":
		return setOf(inPerson)
	}
	if isStop(t) {
		return setOf(inAcronym)
	}
	return anywhere
}

// valueKey names the value that a term about a fact asks for, so that lists are found by
// it; "" where one value does not decide it.
func valueKey(t query.Term) string {
	if t.Op != ":" {
		return ""
	}
	switch t.Field {
	case "kind", "year", "series", "id":
		return "v" + t.Field + ":" + t.Text
	}
	return ""
}

// valueKeys are the values that a document has.
func valueKeys(f *query.Facts) []string {
	return []string{
		"vkind:" + string(f.Kind), "vyear:" + strconv.Itoa(f.Year), "vseries:" + f.Series, "vid:" + string(f.ID),
	}
}

// timeless reports whether what a term asks for does not depend on when it is asked.
func timeless(t query.Term) bool {
	switch t.Field {
	case "due", "start", "new", "changed":
		return false
	}
	return true
}

// fits reports whether the facts of a text are what the term asks for.
func (w *wanted) fits(t *text, now time.Time) bool {
	test := w.test
	if test == nil {
		if !w.IsFact() {
			return w.year != 0 && w.year == t.facts.Year
		}
		test = w.Test(now)
	}
	return test != nil && test(t.facts)
}

func isYear(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && len(s) == 4 && n >= 1000
}
