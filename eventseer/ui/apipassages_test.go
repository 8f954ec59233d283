package ui

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/eventseer/ui/api"
)

// TestAPIPassages expects the passage with the words of a query from the API. The words are marked in
// the form of the page, which is named. A passage is cut from the text of a page, or else from a clip.
func TestAPIPassages(t *testing.T) {
	o, st := realWorld(t, 0)
	e := eventseer.Event{
		ID: "lantern-2027", URL: "https://lantern.example/", Title: "Lantern Meeting", Acronym: "LANTERN", Year: 2027,
		EventStart: "2027-09-06", LastSeen: now,
	}
	text := eventseer.HeadingMark + "Guidelines\nPapers have ten pages. Proofs of lighthouses are checked by machines. They are read on Friday.\n"
	clips := []eventseer.Clip{{URL: "https://lantern.example/news", Title: "News", Summary: "The harbour is open to all visitors of the meeting."}}
	id, err := st.PutRemote(t.Context(), "test", e, clips, nil, eventseer.PageText{URL: e.URL, Text: text, Seen: now})
	if err != nil {
		t.Fatal(err)
	}
	if err := search.Sync(t.Context(), st, o.Index.(*search.Index)); err != nil {
		t.Fatal(err)
	}
	h := patient(newUI(o))
	for _, tt := range []struct{ query, page, passage string }{
		{"lighthouse", e.URL, "Proofs of [lighthouses] are checked by machines."},
		{"harbours", "https://lantern.example/news", "The [harbour] is open to all visitors of the meeting."},
		{"lantern", "", ""}, // only the name has it
	} {
		for _, wanted := range []bool{false, true} {
			path := "/api/v1/events.json?all=1&fields=acronym&q=" + tt.query
			if wanted {
				path += "&passages=1"
			}
			var answer struct{ Passages []api.Passage }
			if err := json.Unmarshal(get(t, h, path, 200).Body.Bytes(), &answer); err != nil {
				t.Fatal(err)
			}
			if has := wanted && tt.passage != ""; (len(answer.Passages) == 1) != has {
				t.Errorf("%s: %d passages", path, len(answer.Passages))
			}
			for _, p := range answer.Passages {
				var shown strings.Builder
				for _, piece := range p.Pieces {
					if piece.Mark {
						piece.Text = "[" + piece.Text + "]"
					}
					shown.WriteString(piece.Text)
				}
				if p.Event != id || p.Page != tt.page || !strings.Contains(shown.String(), tt.passage) {
					t.Errorf("%s: %s of %s on %s, want %s of %s", path, shown.String(), p.Event, p.Page, tt.passage, tt.page)
				}
			}
		}
	}
}
