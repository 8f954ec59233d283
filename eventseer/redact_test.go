package eventseer

import (
	"testing"
	"unicode/utf8"
)

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"Send papers to ann.lee@lab.example by 3 May 2027.":      "Send papers to … by 3 May 2027.",
		"ann @ cs.lab.example, {bo,cy}@lab.example":              "…, …",
		"ann (at) lab (dot) example or bo[at]lab.example":        "… or …",
		"ann at lab dot example":                                 "…",
		"ann_at_lab.example, ann%40lab.example, ann＠lab.example": "…, …, …",
		"Tel.: +47 22 33 44 55, fax (022) 334 455":               "…, …",
		"models@run.time":               "models@run.time",
		"NLP @ ICX 2027":                "NLP @ ICX 2027",
		"Bees@ICX, held at icx.example": "Bees@ICX, held at icx.example",
		"UTC+02:00, 3 May 2027 (AoE)":   "UTC+02:00, 3 May 2027 (AoE)",
		"phone lines open 3 May":        "phone lines open 3 May",
	} {
		if got := Redact(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("ann@lab.example (at) dot +47 22 33 44 55")
	f.Add("\xff@\xfe.\x00")
	f.Fuzz(func(t *testing.T, s string) {
		got := Redact(s)
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("%q gives %q", s, got)
		}
	})
}
