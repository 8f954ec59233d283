package datasets

import (
	"testing"
)

func TestCities(t *testing.T) {
	g, err := Cities()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]City{
		"Groningen": {Country: "NL", Region: "Groningen"}, "sao paulo": {Country: "BR", Region: "São Paulo"}, "ZÜRICH": {Country: "CH", Region: "Zurich"}, "Zuerich": {Country: "CH", Region: "Zurich"},
		"Wien": {Country: "AT", Region: "Vienna"}, "天津": {Country: "CN", Region: "Tianjin"}, "Αθήνα": {Country: "GR", Region: "Attica"}, "Москва": {Country: "RU", Region: "Moscow"}, "İstanbul": {Country: "TR", Region: "Istanbul"}, "서울": {Country: "KR", Region: "Seoul"}, "القاهرة": {Country: "EG", Region: "Cairo"},
		"Saint Malo": {Country: "FR", Region: "Brittany"}, "Reading": {Country: "GB", Region: "England", Word: true},
	} {
		got := g.Lookup(name)
		if len(got) == 0 {
			t.Errorf("%s is not known", name)
			continue
		}
		got[0].Population = 0
		if got[0] != want {
			t.Errorf("%s: %+v, want %+v", name, got[0], want)
		}
	}
	for _, word := range []string{"University", "Of", "", "Date"} {
		for _, c := range g.Lookup(word) {
			if !c.Word {
				t.Errorf("%q is taken for a city: %+v", word, c)
			}
		}
	}
	if n := g.Lookup("Vienna"); len(n) < 3 || n[0].Country != "AT" || n[1].Country != "US" {
		t.Errorf("namesakes of Vienna: %+v", n)
	}
}

func BenchmarkReadGazetteer(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decodeCities(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	g, _ := Cities()
	b.ReportAllocs()
	for b.Loop() {
		g.Lookup("São José dos Campos")
	}
}
