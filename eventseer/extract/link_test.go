package extract

import "testing"

func TestSubmission(t *testing.T) {
	tests := []struct{ name, file, page, url, system, rule string }{
		{"a system", "p.html", `<p>Submit <a href="https://easychair.org/conferences/?conf=rdx2027">here</a>`, "https://easychair.org/conferences/?conf=rdx2027", "easychair", "submission-system"},
		{"a system's other pages", "p.html", `<p><a href="https://easychair.org/publications/for_authors">Style</a>`, "", "", ""},
		{"a host below", "p.html", `<p><a href="https://rdx27.hotcrp.com/">Site</a>`, "https://rdx27.hotcrp.com/", "hotcrp", "submission-system"},
		{"a host of one's own", "p.html", `<p><a href="https://hotcrp.tarn.example/rdx/">Site</a>`, "https://hotcrp.tarn.example/rdx/", "hotcrp", "submission-system"},
		{"no such host", "p.html", `<p><a href="https://noteasychair.org/conferences/x">Site</a>`, "", "", ""},
		{"printed", "p.html", "<p>Papers go to https://cmt3.research.microsoft.com/RDX2027.", "https://cmt3.research.microsoft.com/RDX2027", "cmt", "submission-printed"},
		{"printed without a scheme", "p.html", "<pre>Submit at www.softconf.com/rdx2027, please.</pre>", "https://www.softconf.com/rdx2027", "softconf", "submission-printed"},
		{"printed in plain text", "p.txt", "RDX 2027\n\nSubmit at https://edas.info/N1, please.\n", "https://edas.info/N1", "edas", "submission-system"},
		{"by its anchor", "p.html", `<p><a href="https://tarn.example/in">Submission site</a>`, "https://tarn.example/in", "", "submission-anchor"},
		{"instructions", "p.html", `<p><a href="https://tarn.example/guide">Submission guidelines</a>`, "", "", ""},
		{"a form", "p.html", `<p>Send your abstract by <a href="https://forms.gle/abc">this form</a>`, "https://forms.gle/abc", "google-forms", "submission-form"},
		{"a form for something else", "p.html", `<p>Registration: <a href="https://forms.gle/abc">form</a>`, "", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := readSubmission(preparePage(parse(t, test.file, test.page), 2040))
			if s.url != test.url || s.system != test.system || s.source.Rule != test.rule {
				t.Errorf("got %q, system %q, by %q; want %q, %q, %q", s.url, s.system, s.source.Rule, test.url, test.system, test.rule)
			}
		})
	}
}

func TestPublisherIn(t *testing.T) {
	for text, want := range map[string]string{
		"published by Springer in the LNCS series":                              "Springer LNCS",
		"Springer-Verlag's Lecture Notes in Computer Science":                   "Springer LNCS",
		"appear in Lecture Notes in Business Information Processing (Springer)": "Springer LNBIP",
		"as a volume of LNAI":                  "Springer LNAI",
		"in the ACM DL":                        "ACM Digital Library",
		"published in the ACM Digital Library": "ACM Digital Library",
		"in CEUR-WS":                           "CEUR",
		"sponsored by the IEEE; proceedings in IEEE Xplore":                                  "IEEE Xplore",
		"in the Leibniz International Proceedings in Informatics series":                     "LIPIcs",
		"proceedings sponsored by the IEEE":                                                  "",
		"proceedings on the web page of the river dam society, with a long list of keywords": "",
	} {
		if got, _, _ := publisherIn(text); got != want {
			t.Errorf("publisherIn(%q) = %q, want %q", text, got, want)
		}
	}
}
