package field

import (
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

func TestTable(t *testing.T) {
	fields := All()
	if len(fields) < 40 || len(fields) > 60 {
		t.Errorf("%d fields, want 40 to 60", len(fields))
	}
	seen, general := map[string]bool{}, map[string]int{}
	for _, f := range fields {
		least := 10
		if f.IsGeneral() {
			least = 5 // training also uses the other fields of its discipline
			general[f.Discipline]++
		}
		if seen[f.ID] || seen[f.Name] || len(f.descriptors) < least || f.ID != strings.ToLower(f.ID) {
			t.Errorf("field %+v", f)
		}
		seen[f.ID], seen[f.Name] = true, true
		if of, ok := Named(strings.ToUpper(f.Name)); !ok || of.ID != f.ID {
			t.Errorf("%s is called %s, which names %q", f.ID, f.Name, of.ID)
		}
	}
	for _, f := range fields {
		if general[f.Discipline] != 1 {
			t.Errorf("%d general fields of %s, want 1", general[f.Discipline], f.Discipline)
		}
		if f.Discipline == computing != (f.ID == "computing") {
			t.Errorf("field %s of %s", f.ID, f.Discipline)
		}
	}
	if model().Outputs() != len(fields) || !slices.Equal(model().Classes, ids(fields)) {
		t.Errorf("the model tells %v", model().Classes)
	}
}

func ids(fields []Field) (out []string) {
	for _, f := range fields {
		out = append(out, f.ID)
	}
	return out
}

func TestParseRefuses(t *testing.T) {
	for _, bad := range []string{"db\tData", "db\tData\tDatabases\tRows\t\t", "\tData\tDatabases\tRows\t\tindexing"} {
		if _, err := parse("# comment\n" + bad); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestTold(t *testing.T) {
	for want, e := range map[string]eventseer.Event{
		"databases":   {Topics: []string{"Query optimisation", "Transaction processing", "Data warehouses", "Indexing"}},
		"security":    {Title: "Workshop on Malware and Intrusion Detection", Topics: []string{"Botnets", "Network security"}},
		"medicine":    {Title: "Congress of Paediatric Cardiology", Topics: []string{"Heart surgery in children", "Clinical trials"}},
		"earth":       {Title: "Simpósio de Geografia"},
		"linguistics": {Title: "Colloquium on Old Slavic Philology", Topics: slices.Repeat([]string{"Miscellaneous"}, 60)},
		"engineering": {Title: "International Conference on Engineering and Technology", Topics: []string{"Machine tools", "Power electronics", "Concrete", "Control systems", "Bridges", "Electrical machines"}},
		"":            {Title: "Meeting 2027", Topics: []string{"Miscellaneous"}},
	} {
		got := Predict(e)
		if want == "" && got != nil || want != "" && (len(got) == 0 || got[0] != want) {
			t.Errorf("%q, %q: fields %v, want %s first", e.Title, e.Topics, got, want)
		}
	}
	long := eventseer.Event{Title: strings.Repeat("database ", 1e5), Topics: slices.Repeat([]string{"query processing"}, 1e5)}
	if n := len(TermsOf(long)); n > 2*maxWords {
		t.Errorf("%d terms of a record without end", n)
	}
}

func TestKnown(t *testing.T) {
	s := eventseer.Series{Name: "Symposium on Query Processing", Fields: []string{"operating systems", "astrology", "databases", "graphics"}}
	if got := OfSeries(s, eventseer.Event{}); !slices.Equal(got, []string{"databases"}) {
		t.Errorf("fields %v, want databases alone", got)
	}
	s.Fields = []string{"Security"}
	if got := OfSeries(s, eventseer.Event{}); !slices.Equal(got, []string{"security"}) {
		t.Errorf("fields %v, want security", got)
	}
}

func TestGeneralFields(t *testing.T) {
	if got := Within("software"); !slices.Contains(got, "pl") || !slices.Contains(got, "software") || slices.Contains(got, "ml") {
		t.Errorf("software finds %v", got)
	}
	if got := Within("pl"); !slices.Equal(got, []string{"pl"}) {
		t.Errorf("pl finds %v", got)
	}
	if got := Containing("pl"); !slices.Equal(got, []string{"pl", "software"}) {
		t.Errorf("an event of pl is found under %v", got)
	}
	if got := Containing("software"); !slices.Equal(got, []string{"software"}) {
		t.Errorf("an event of software is found under %v", got)
	}
	for _, none := range []string{"", "Software engineering", "astrology"} {
		if Within(none) != nil || Containing(none) != nil {
			t.Errorf("%q is no id of a field", none)
		}
	}
}
