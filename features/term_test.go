package features

import "testing"

func TestFeatureText(t *testing.T) {
	for term, want := range map[string]string{
		"body:call paper":     "“call paper”",
		"title:cfp":           "“cfp” in the title",
		"headings:date":       "“date” in a heading",
		"url:cfp":             "“cfp” in the URL",
		"structure:due_dates": "due dates",
		"body:a:b":            "“a:b”",
		"new_block:word":      "“word” in the new block",
		"bare":                "bare",
	} {
		if got := TermText(term); got != want {
			t.Errorf("featureText(%q) = %q, want %q", term, got, want)
		}
	}
}
