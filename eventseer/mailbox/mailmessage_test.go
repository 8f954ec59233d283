package mailbox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A mailmanDigest is as Mailman writes them, with a list's rules and footers.
const mailmanDigest = `Send Gardens mailing list submissions to
	gardens@lists.example

Today's Topics:

   1. Call for papers: Hedges 2027 (Ann Green)
   2. Re: sensor prints zero (Bob Brown)


----------------------------------------------------------------------

Message: 1
Date: Mon, 11 Jan 2027 10:00:00 +0100
From: Ann Green <ann@conf.example>
Subject: [Gardens] Call for papers: Hedges 2027
To: gardens@lists.example
Message-ID: <hedges1@conf.example>
Content-Type: text/plain; charset=utf-8

Send papers.
-------------------------
Deadline: 1 March 2027

by then.

------------------------------

Message: 2
Date: Tue, 12 Jan 2027 10:00:00 +0100
From: bob at home.example (Bob Brown)
Subject: [Gardens] Re: sensor prints
	zero

Open the port.

------------------------------

Subject: Digest Footer

_______________________________________________
Gardens mailing list
http://lists.example/listinfo/gardens

------------------------------

End of Gardens Digest, Vol 3, Issue 4
*************************************
`

func TestSplit(t *testing.T) {
	const multipart = "Content-Type: multipart/mixed; boundary=b"
	call := "Papers on hedges are due on 1 March."
	for _, tt := range []struct {
		name, raw string
		want      []string
	}{
		{"one message", lines("Message-ID: <1@x>", "Subject: s", "", "x"), []string{"mid:1@x|s|x"}},
		{
			"plain digest", "Message-ID: <d@x>\nDate: Wed, 13 Jan 2027 10:00:00 +0100\nSubject: Gardens Digest, Vol 3, Issue 4\n\n" + mailmanDigest,
			[]string{
				"mid:hedges1@conf.example|[Gardens] Call for papers: Hedges 2027|Send papers.|-------------------------|Deadline: 1 March 2027||by then.",
				"mid:d@x#2|[Gardens] Re: sensor prints zero|Open the port.",
			},
		},
		{
			"LISTSERV digest", lines("Message-ID: <l@x>", "Subject: HEDGES Digest", "", "There are 2 messages totalling 9 lines in this issue.", "",
				strings.Repeat("-", 70), "", "Date:    Mon, 11 Jan 2027 10:00:00 +0100", "From:    Ann <ann@conf.example>", "Subject: one", "", "first", "",
				strings.Repeat("-", 30), "", "Date:    Mon, 11 Jan 2027 11:00:00 +0100", "From:    Bob <bob@conf.example>", "Subject: two", "", "second", "",
				strings.Repeat("-", 30), "", "End of HEDGES Digest - 10 Jan 2027", strings.Repeat("*", 30)),
			[]string{"mid:l@x#1|one|first", "mid:l@x#2|two|second"},
		},
		{
			"MIME digest", lines("Message-ID: <m@x>", "Subject: Digest", multipart, "", "--b", "", "Today's topics", "--b",
				"Content-Type: multipart/digest; boundary=c", "", "--c", "", "Message-ID: <in@x>", "Subject: one", "", "first", "--c", "", "Subject: two", "", "second", "--c--", "--b--"),
			[]string{"mid:in@x|one|first", "mid:m@x#2|two|second"},
		},
		{
			"attached message", lines("Message-ID: <f@x>", "Subject: Fwd: a", multipart, "", "--b", "", "FYI", "--b", "Content-Type: message/rfc822", "",
				"Message-ID: <in@x>", "Subject: a", "", call, "--b--"),
			[]string{"mid:f@x|Fwd: a|FYI", "mid:in@x|a|" + call},
		},
		{
			"attached message alone", lines("Message-ID: <f@x>", "Subject: Fwd: a", multipart, "", "--b", "Content-Type: message/rfc822", "Content-Transfer-Encoding: base64", "",
				"U3ViamVjdDogYQoKeAo=", "--b--"),
			[]string{"mid:f@x#1|a|x"},
		},
		{
			"original message", lines("Message-ID: <o@x>", "Subject: FW: a", "", "See below.", "", "-----Original Message-----", "From: Ann [mailto:ann@conf.example]",
				"Sent: Monday, January 11, 2027 10:00", "To: Bob", "Subject: a long", "  subject", "", call),
			[]string{"mid:o@x|FW: a|See below.", "mid:o@x#2|a long subject|" + call},
		},
		{
			"forwarded by Gmail, in a forward", lines("Message-ID: <g@x>", "Subject: Fwd: Fwd: a", "", "---------- Forwarded message ---------", "From: Bob <bob@home.example>",
				"Date: Mon, 11 Jan 2027 at 10:00", "Subject: Fwd: a", "", "Interesting!", "", "-------- Weitergeleitete Nachricht --------", "Betreff: a", "Datum: Mon, 11 Jan 2027 09:00:00 +0100",
				"Von: Ann <ann@conf.example>", "An: Bob", "", call),
			[]string{"mid:g@x#1|Fwd: a|Interesting!", "mid:g@x#2|a|" + call},
		},
		{
			"forwarded by Apple, quoted", lines("Message-ID: <q@x>", "Subject: Fwd: a", "", "Begin forwarded message:", "", "> From: Ann", "> Subject: a", "> Date: 11 January 2027 10:00:00 CET", "> ", "> "+call, "", "Bob"),
			[]string{"mid:q@x#1|a|" + call},
		},
		{
			"forwarded by mutt", lines("Message-ID: <t@x>", "Subject: a (fwd)", "", "----- Forwarded message from Ann <ann@conf.example> -----", "", "From: Ann <ann@conf.example>", "Subject: a", "", call, "",
				"----- End forwarded message -----", "", "Do go there."),
			[]string{"mid:t@x|a (fwd)|Do go there.", "mid:t@x#2|a|" + call},
		},
		{
			"rules are no forwards", lines("Message-ID: <r@x>", "Subject: s", "", strings.Repeat("-", 40), "Date: 1 March", "Place: Lyon", "", "--- Topics ---", "From: models", "", "x"),
			[]string{"mid:r@x|s|" + strings.Repeat("-", 40) + "|Date: 1 March|Place: Lyon||--- Topics ---|From: models||x"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pages, err := Reader{Split: true}.Message(strings.NewReader(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range pages {
				head, text, _ := strings.Cut(p.Text, "\n\n")
				subject, _, _ := strings.Cut(strings.TrimPrefix(head, "Subject: "), "\n")
				got = append(got, p.URL+"|"+subject+"|"+strings.ReplaceAll(strings.TrimSpace(strings.ReplaceAll(text, "\r", "")), "\n", "|"))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSplitDates takes the date of an inner message where it says one.
func TestSplitDates(t *testing.T) {
	pages, err := Reader{Split: true}.Message(strings.NewReader("Date: Wed, 13 Jan 2027 10:00:00 +0000\nSubject: Digest\n\n" + mailmanDigest))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range pages {
		got = append(got, p.FetchedAt.Format("Jan 2 15:04"))
	}
	if diff := cmp.Diff([]string{"Jan 11 09:00", "Jan 12 09:00"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestSplitKeepsNoAddress looks for the addresses of senders and receivers in all
// that is left of messages.
func TestSplitKeepsNoAddress(t *testing.T) {
	raw := lines("From: Ann Green <Ann.Green@conf.example>", "To: gardens at lists.example (Gardens)", "Message-ID: <7.ann.green@conf.example>", "Reply-To: chair@conf.example",
		"Subject: call by ann.green@conf.example", "", "Write to ANN.GREEN@conf.example or ann.green at conf.example,", "list gardens@lists.example.", "", "On Monday Bob <bob at home.example> wrote:", "> hello",
		"", "-----Original Message-----", "From: Carl <carl@inst.example>", "Subject: a", "", "Send papers to carl at inst.example or Chair@conf.example.")
	pages, err := Reader{Split: true}.Message(strings.NewReader(raw))
	if err != nil || len(pages) != 2 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, p := range pages {
		kept := strings.ToLower(p.URL + p.Text + string(p.Body))
		for _, address := range []string{"ann.green@", "ann.green at", "chair@", "carl@", "carl at", "gardens@", "gardens at", "bob at home"} {
			if strings.Contains(kept, address) {
				t.Errorf("%q is kept in %s: %s", address, p.URL, kept)
			}
		}
	}
}

func TestSplitBounds(t *testing.T) {
	var digest strings.Builder
	digest.WriteString("Message-ID: <d@x>\n\n")
	for range maxLetters + 100 {
		digest.WriteString(strings.Repeat("-", 30) + "\n\nFrom: a@b.example\nSubject: s\n\nx\n\n")
	}
	pages, err := Reader{Split: true}.Message(strings.NewReader(digest.String()))
	if err != nil || len(pages) != maxLetters || !pages[0].Truncated {
		t.Errorf("%d pages of a digest of %d, error %v", len(pages), maxLetters+100, err)
	}
	nested := "Message-ID: <n@x>\nSubject: s\n\n"
	for range 50 {
		nested += "x\n-----Original Message-----\nFrom: a\nSubject: s\n\n"
	}
	if pages, err = (Reader{Split: true}).Message(strings.NewReader(nested)); err != nil || len(pages) > maxDepth+1 {
		t.Errorf("%d pages of forwards in each other, error %v", len(pages), err)
	}
	long := strings.Repeat("a", 400_000) + "@x.example"
	pages, err = Reader{Split: true}.Message(strings.NewReader("From: " + long + "\nSubject: s\n\n" + long))
	if err != nil || !strings.Contains(pages[0].Text, long) {
		t.Errorf("what is too long for an address is looked for: %v", err)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("Subject: Digest\n\n" + mailmanDigest)
	f.Add("Subject: s\n\n-----Original Message-----\nFrom: a@b.example\nSubject: x\n\ny\n----- End forwarded message -----\nz")
	f.Add("Subject: s\n\nBegin forwarded message:\n\n> From: a\n> Date: b\n> \n> c\n")
	f.Fuzz(func(t *testing.T, raw string) {
		pages, err := Reader{Split: true}.Message(strings.NewReader(raw))
		if err != nil {
			return
		}
		size := 0
		for _, p := range pages {
			if p.URL == "" || len(p.Body) == 0 {
				t.Fatalf("URL %q, %d bytes of body", p.URL, len(p.Body))
			}
			size += len(p.Body)
		}
		if len(pages) == 0 || len(pages) > maxLetters || size > 8*len(raw)+len(pages)*8*MaxSubject {
			t.Fatalf("%d pages of %d bytes out of %d", len(pages), size, len(raw))
		}
	})
}
