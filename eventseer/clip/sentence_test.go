package clip

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	s, err := loadSplitter()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Prof. Miller speaks on Oct. 5.|The talk is free.|See pp. 3-5 of vol. 2.|Dr. A. B. Smith et al. wrote it.",
		"Papers are due Oct. 12, 2027.|Notification is sent by Nov. 30.|Papers of approx. 10 pages (incl. references), cf. Sec. 3, are welcome.",
		"The Univ. of Patras hosts it, e.g. in Sept. and Dec. of this year!|Is it?|Yes.",
		"Ask Assoc. Prof. Nikos K. Papadopoulos.|The U.S. National Science Foundation, i.e. NSF, funds it.|No. 5 is best.",
		"It ends on Mar. 3.|We invite you.|Deadline: Jan. 15, 23:59 AoE.|Springer LNCS vol. 1234.",
		"1. Engines of all kinds and their owners are invited.|They may come.",
		"Το συνέδριο γίνεται τον Μάιο.|Η προθεσμία έληξε.",
		"会议将于五月举行。|投稿截止！|请提交。",
		"مرحبا.|كيف حالك؟|نعم.",
		"यह एक सम्मेलन है।|पत्र भेजें।",
		"no end at all",
	} {
		text := strings.ReplaceAll(want, "|", " ")
		var got []string
		for _, span := range s.splitSentences(text, 0, nil) {
			got = append(got, text[span.Start:span.End])
		}
		if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" {
			t.Errorf("split (-want +got):\n%s", diff)
		}
	}
}

// Sentences lie in order, within the text, and no word is lost, however long a
// text without any end is.
func TestSplitLong(t *testing.T) {
	s, err := loadSplitter()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		strings.Repeat("x", 3*maxPiece), strings.Repeat("é", maxPiece), strings.Repeat("word ", maxPiece/4), strings.Repeat("a. ", maxPiece/2),
		strings.Repeat("。", maxPiece/2), "", " ",
	} {
		covers(t, text, s.splitSentences(text, 7, nil), 7)
	}
}

func covers(t *testing.T, text string, spans []tagtree.Span, base int) {
	t.Helper()
	last, n := base, 0
	for _, span := range spans {
		if span.Start < last || span.End <= span.Start || span.End > base+len(text) {
			t.Fatalf("sentence %v after %d in %d bytes", span, last, len(text))
		}
		last = span.End
		n += len(strings.Join(strings.Fields(text[span.Start-base:span.End-base]), ""))
	}
	if want := len(strings.Join(strings.Fields(text), "")); n != want {
		t.Errorf("%.20q: sentences hold %d bytes of %d", text, n, want)
	}
}

func FuzzSplit(f *testing.F) {
	s, err := loadSplitter()
	if err != nil {
		f.Fatal(err)
	}
	f.Add("Prof. Miller speaks on Oct. 5. The talk is free. 会议。 a\xff. B! (c.) 3. D")
	f.Fuzz(func(t *testing.T, text string) { covers(t, text, s.splitSentences(text, 0, nil), 0) })
}

func TestPlainText(t *testing.T) {
	tree := parse(t, "Subject: Engines\n\nDear all, the new engine from the north was first at the line by a\nminute, and nobody heard it come. The people of the harbour want to\nknow more.\n\n- one engine\n- two pumps\n")
	got := show(t, tree, extractor(t, "engine", Options{}).Extract(tree, Context{}))
	want := "engine| Engines: Dear all, the new engine from the north was first at the line by a minute, and nobody heard it come. The people of the harbour want to know more.\n" +
		"engine| Engines: The people of the harbour want to know more. - one engine · - two pumps\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
