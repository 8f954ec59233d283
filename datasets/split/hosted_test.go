package split

import "testing"

// Each call is in the table once, with a title; 60 of them are for checking and not for training.
func TestHostedCalls(t *testing.T) {
	calls, err := HostedCalls()
	if err != nil {
		t.Fatal(err)
	}
	seen, checks := map[string]bool{}, 0
	for _, c := range calls {
		if seen[c.URL] || len(c.Titles) == 0 {
			t.Errorf("%s stands twice or has no title", c.URL)
		}
		seen[c.URL] = true
		if c.Part != "learn" {
			checks++
		}
	}
	if checks != 60 {
		t.Errorf("%d calls check, want 60", checks)
	}
}
