package mailbox

import (
	"strings"
	"testing"
)

func TestDecodeTransfer(t *testing.T) {
	for _, tt := range []struct {
		name, encoding, body, want string
		cut                        bool
	}{
		{"quoted-printable", "quoted-printable", "caf=C3=A9 =\r\nbar  \r\n", "café bar\n", false},
		{"in lower case, upper name", "Quoted-Printable", "caf=c3=a9", "café", false},
		{"an equals sign that is no code", "quoted-printable", "http://x.example/?id=zz&a=1=\n2 = 3", "http://x.example/?id=zz&a=12 = 3", false},
		{"cut in a code", "quoted-printable", "caf=C3=A", "caf\xc3=A", false},
		{"blanks behind a soft break", "quoted-printable", "one= \t\ntwo", "onetwo", false},
		{"base64", "base64", "Y2Fs\r\nbA==\r\n", "call", false},
		{"base64 in pieces", "base64", "Y2FsbA==\nY2FsbA==", "callcall", false},
		{"base64 without padding", "BASE64 ", "Y2FsbA", "call", false},
		{"base64 above a footer", "base64", "Y2FsbA==\n____________\nmailing list", "call", true},
		{"unknown", "x-wooden", "call", "call", false},
	} {
		got, whole := decodeTransfer(tt.encoding, []byte(tt.body))
		if string(got) != tt.want || whole == tt.cut {
			t.Errorf("%s: %q, whole %v; want %q", tt.name, got, whole, tt.want)
		}
	}
}

func TestDecodeCharset(t *testing.T) {
	for _, tt := range []struct{ label, bytes, want string }{
		{"iso-8859-1", "\x93caf\xe9\x94", "“café”"}, // as browsers read it
		{"ISO-8859-15", "\xa4", "€"},
		{"koi8-r", "\xd0\xcf", "по"},
		{"gb2312", "\xd5\xf7", "征"},
		{"iso-2022-jp", "\x1b$B$\"\x1b(B", "あ"},
		{"us-ascii", "caf\xc3\xa9", "café"},
		{"utf-8", "caf\xe9", "café"},
		{"klingon", "x", "x"},
	} {
		if got := decodeCharset(tt.label, []byte(tt.bytes)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.label, got, tt.want)
		}
	}
}

func TestJoinFlowed(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		delSp            bool
	}{
		{"paragraphs", "one \ntwo\nthree", "one two\nthree", false},
		{"DelSp", "a \nb \nc", "abc", true},
		{"quotes of several depths", "> a \n> b\n>> c \n> d", "> a b\n>> c \n> d", false},
		{"space-stuffing", " From me \n >no quote", "From me >no quote", false},
		{"signature", "text \n-- \nAnn", "text \n-- \nAnn", false},
		{"quoted signature", "> text \n> -- \n> Ann", "> text \n> -- \n> Ann", false},
	} {
		if got := joinFlowed(tt.text, tt.delSp); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzJoinFlowed(f *testing.F) {
	f.Add("> a \n> b\n-- \n c ", true)
	f.Add(">>\n> \n \n", false)
	f.Fuzz(func(t *testing.T, text string, delSp bool) {
		got := joinFlowed(text, delSp)
		if strings.Count(got, "\n") > strings.Count(text, "\n") {
			t.Fatalf("%q has more lines than %q", got, text)
		}
		letters := func(s string) string {
			return strings.NewReplacer(" ", "", "\n", "", ">", "").Replace(s)
		}
		if letters(got) != letters(text) {
			t.Fatalf("%q has other letters than %q", got, text)
		}
	})
}

func TestWithoutFooter(t *testing.T) {
	const call = "Send papers on hedges.\n\nSee our mailing list for questions about the hedge, and the archive.\n\nDeadline: 1 March\n"
	for _, tt := range []struct{ name, footer string }{
		{"Mailman", "\n_______________________________________________\nGardens mailing list\nGardens at lists.example\nhttp://lists.example/mailman/listinfo/gardens\n"},
		{"Google Groups", "\n-- \nYou received this message because you are subscribed to the Google Groups \"Gardens\" group.\nTo unsubscribe from this group, write.\n"},
		{"LISTSERV", "\n\n########################################################################\n\nTo unsubscribe from the GARDENS list, click the following link:\nhttps://lists.example/x\n"},
		{"two of them", "\n---\nTo leave, unsubscribe.\n\n_______________________________________________\nGardens mailing list\n\n"},
		{"none", ""},
	} {
		if got := withoutFooter(call + tt.footer); got != call {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
	for _, text := range []string{"To unsubscribe, write.\n", "", "\n\n", "call\n-- \nAnn\n"} {
		if got := withoutFooter(text); got != text {
			t.Errorf("of %q is left %q", text, got)
		}
	}
}
