package features

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func TestIsReply(t *testing.T) {
	for subject, want := range map[string]bool{
		"Re: a call": true, " re:a call": true, "[list] RE: a call": true, "[a] [b] AW: x": true, "Re[2]: x": true,
		"1999-02-03 - Re: x": true, "回复：x": true,
		"Call: x": false, "[list] a call": false, "[unclosed Re: x": false, "Reminder: x": false, "research": false,
		"Fwd: x": false, "1999-02-03": false, "1999-02-03 - ": false, "": false, "re": false,
	} {
		if got := isReply(subject); got != want {
			t.Errorf("isReply(%q) = %v", subject, got)
		}
	}
}

func TestMailFeatures(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       [len(mailNames)]float64
	}{
		{"announcement", "Subject: a call\n\nWe invite papers.\n", [...]float64{0, 0, 0}},
		{"reply", "Subject: Re: a\n\n1234\n\n>56\nJD>7\n", [...]float64{1, 7. / 25, 0}},
		{"attribution", "Subject: a\n\nOn Monday Ann wrote:\n", [...]float64{0, 0, .5}},
		{"many attributions", "A wrote:\nB writes:\nC schrieb :\nnobody wrote that:\n", [...]float64{0, 0, 1}},
		{
			"original below", "mine is\n-----Исходное сообщение-----\nFrom: Ann\n" + strings.Repeat("x", 100) + "\n",
			[...]float64{0, 109. / 161, 0},
		},
		{"forwarded", "mine\n---------- Forwarded message ----------\nFrom: Ann\ntext\n", [...]float64{0, 0, 0}},
		{"ruled heading", "---- Important dates ----\nFrom May on\n", [...]float64{0, 0, 0}},
		{"arithmetic", "a > b and 3 > 2\n", [...]float64{0, 0, 0}},
		{"empty", "", [...]float64{0, 0, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree, err := tagtree.Parse(&webgraph.Page{URL: "mail-1", Text: tt.text + "\n"})
			if err != nil {
				t.Fatal(err)
			}
			var m mailCounts
			m.addTitle(tree.Title())
			for _, b := range tree.Blocks() {
				m.addBlock(b)
			}
			if diff := cmp.Diff(tt.want, m.featureValues()); diff != "" {
				t.Errorf("%v (-want +got):\n%s", mailNames, diff)
			}
		})
	}
}
