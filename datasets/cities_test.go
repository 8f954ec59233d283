package datasets

import "testing"

func TestCities(t *testing.T) {
	m, err := Cities()
	if err != nil {
		t.Fatal(err)
	}
	if len(m) < 20_000 {
		t.Errorf("%d cities", len(m))
	}
	for name, want := range map[string]string{"Groningen": "NL", "Chengdu": "CN", "São Paulo": "BR", "Sao Paulo": "BR", "Boston": ""} {
		if got, ok := m[name]; !ok || got != want {
			t.Errorf("%s lies in %q (%v), want %q", name, got, ok, want)
		}
	}
	for _, word := range []string{"Date", "Most", "University", "Of", "Reading"} {
		if _, ok := m[word]; ok {
			t.Errorf("%s is taken for a city", word)
		}
	}
}
