package crawler

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Values are the values of finds by kind. An experiment has one set of values: every strategy
// receives it, and the same values measure the result. The zero value means DefaultValues.
type Values struct {
	Page, PDF, Mail float64 // of a call of that kind, 0 to 1
	// Again is the factor for a further call of an event of which one was found.
	Again float64
	// Past is the factor for a call whose deadlines have all passed.
	Past float64
}

// DefaultValues returns the values of crawls. A mail is worth little because most calls have their
// own page, where the dates are current.
func DefaultValues() Values { return Values{Page: 1, PDF: 1, Mail: 0.2, Again: 1, Past: 0.5} }

// fields returns the values by the names that ParseValues reads.
func (v *Values) fields() []valueField {
	return []valueField{{"page", &v.Page}, {"pdf", &v.PDF}, {"mail", &v.Mail}, {"again", &v.Again}, {"past", &v.Past}}
}

type valueField struct {
	name  string
	value *float64
}

// ParseValues reads values such as "page=1,mail=0.2,again=0". Values that are not named are those of
// DefaultValues.
func ParseValues(s string) (Values, error) {
	v := DefaultValues()
	fields := v.fields()
	seen := map[string]bool{}
	for part := range strings.SplitSeq(s, ",") {
		name, number, _ := strings.Cut(part, "=")
		i := slices.IndexFunc(fields, func(f valueField) bool { return f.name == name })
		x, err := strconv.ParseFloat(number, 64)
		switch {
		case i < 0:
			return v, fmt.Errorf("values %q: %q is not one of page, pdf, mail, again, past", s, name)
		case seen[name]:
			return v, fmt.Errorf("values %q: %s is named twice", s, name)
		case err != nil || !(x >= 0 && x <= 1):
			return v, fmt.Errorf("values %q: %s=%s: the value is not a number from 0 to 1", s, name, number)
		}
		seen[name], *fields[i].value = true, x
	}
	if v.Page == 0 && v.PDF == 0 && v.Mail == 0 {
		return v, fmt.Errorf("values %q: no kind of call has a value above 0", s)
	}
	return v, nil
}

// String formats the values as ParseValues reads them.
func (v Values) String() string {
	fields := v.fields()
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = f.name + "=" + strconv.FormatFloat(*f.value, 'g', -1, 64)
	}
	return strings.Join(parts, ",")
}

// OrDefault returns v, or DefaultValues if v is zero.
func (v Values) OrDefault() Values { return cmp.Or(v, DefaultValues()) }

// The kinds of calls in experiments. Other kinds have the value of a page.
const (
	PageKind = "page"
	PDFKind  = "pdf"
	MailKind = "mail"
)

// Kinds returns the kinds with a value above 0.
func (v Values) Kinds() []string {
	return slices.DeleteFunc([]string{PageKind, PDFKind, MailKind}, func(kind string) bool { return v.ValueOf(kind) == 0 })
}

// ValueOf returns the value of a call of a kind.
func (v Values) ValueOf(kind string) float64 {
	switch kind {
	case PDFKind:
		return v.PDF
	case MailKind:
		return v.Mail
	}
	return v.Page
}
