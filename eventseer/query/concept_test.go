package query

import "testing"

// Words that form one name become one phrase, the longest name first; words in quotes, in a field, beside an
// OR or excluded stay unchanged.
func TestWithNames(t *testing.T) {
	names := map[string]bool{" natural language processing": true, " natural language": true, " call for papers": true}
	isName := func(words string) bool { return names[words] }
	for text, want := range map[string]string{
		"natural language processing":                 `"natural language processing"`,
		"deep natural language processing where:eu":   `deep "natural language processing" where:eu`,
		"natural language models":                     `"natural language" models`,
		`natural "language processing"`:               `natural "language processing"`,
		"natural language OR processing":              "natural language OR processing",
		"title:natural language processing":           "title:natural language processing",
		"natural -language processing":                "natural processing -language",
		"call for papers natural language processing": `"call for papers" "natural language processing"`,
	} {
		x, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.WithNames(isName).String(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
