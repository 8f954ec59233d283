package extract

import "testing"

func TestNameAlone(t *testing.T) {
	for s, want := range map[string]string{
		"CFP: 9th Conference on Quiet Pumps":                "9th Conference on Quiet Pumps",
		"Pump Days 2027 - Call for Papers":                  "Pump Days 2027",
		"Pump Days 2027 submission deadline":                "Pump Days 2027",
		"3rd Workshop on Valves -":                          "3rd Workshop on Valves",
		"International Conference on Pumps, Valves and Oil": "International Conference on Pumps, Valves and Oil",
	} {
		if got := nameWithoutRemarks(s); got != want {
			t.Errorf("%q: %q", s, got)
		}
	}
}

func TestIsGeneric(t *testing.T) {
	for s, want := range map[string]bool{
		"Special Session": true, "Apologies for cross-postings": true, "Final": true, "2027 submission deadline": true,
		"Special Session on Valves": false, "PUMPS 2027": false, "ポンプ会議": false,
	} {
		if got := isGeneric(s); got != want {
			t.Errorf("%q: %t", s, got)
		}
	}
}

// TestListMark checks that the name of a mailing list before a subject is not the name of the event.
func TestListMark(t *testing.T) {
	for s, want := range map[string]string{
		"Subject: [pump-list] Valve Days 2027": "Subject:             Valve Days 2027",
		"[VALVES 2027] Call for papers":        "[VALVES 2027] Call for papers",
		"Pumps [and valves] 2027":              "Pumps [and valves] 2027",
	} {
		if got := withoutListMark(s); got != want {
			t.Errorf("%q: %q", s, got)
		}
	}
}

// TestNameBeforeMonth checks that neither a month with a year nor a weekday before a day is the end of a
// name.
func TestNameBeforeMonth(t *testing.T) {
	for _, when := range []string{"April, 2027, Oslo, Norway", "Tuesday, 6 April 2027, Oslo, Norway"} {
		tree := parse(t, "p.html", call("PUMPS 2027", "<h1>4th Workshop on River Dams and Locks<br>"+when+"</h1>", "PUMPS is a meeting of all who like dams."))
		tree.Page.URL = "https://site.example/2027/cfp.html"
		e, _ := newTestExtractor().Extract(tree)
		if want := "4th Workshop on River Dams and Locks"; e.Title != want {
			t.Errorf("%s: %q", when, e.Title)
		}
	}
}
func TestPresetTitles(t *testing.T) {
	for title, want := range map[string]bool{
		"Untitled Document": true, " untitled ": true, "New Page 3": true, "React App": true, "Vite + React": true,
		"Free Bootstrap Theme by someone": true, "Responsive HTML5 Template | Maker": true, "Index of /conf": true, "Welcome to nginx!": true, "My Site": true,
		"Document Engineering 2027": false, "Workshop on C++ Template Programming": false, "Theme Session on Untitled Works": false, "Symposium on Free Will": false,
		"TITLE 2027": false, "Indexing Conference": false, "Page Title Workshop": false, "International Conference on Template Matching": false, "": false,
	} {
		if presetTitle.MatchString(title) != want {
			t.Errorf("%q: %v", title, !want)
		}
	}
}

// TestLostQuotes removes the question marks that stand for quotation marks, and no others.
func TestLostQuotes(t *testing.T) {
	for s, want := range map[string]string{
		"Workshop on ?Kites and Strings? 2027":       "Workshop on Kites and Strings 2027",
		"Second Workshop on ?Kites for Agriculture":  "Second Workshop on Kites for Agriculture",
		"?Kites? (KITES)":                            "Kites (KITES)",
		"Where do Kites go? A Workshop":              "Where do Kites go? A Workshop",
		"Workshop: What do Kites need? (KITES 2027)": "Workshop: What do Kites need? (KITES 2027)",
	} {
		if got := withoutLostQuotes(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}
