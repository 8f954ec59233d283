package dictionary

import (
	"strings"
	"testing"
)

// Forms of one Greek noun or adjective, as calls for papers use them.
const greekForms = `
συνέδριο συνεδρίου | συνέδριο ΣΥΝΕΔΡΙΑ | συνέδριο συνεδρίων | προθεσμία προθεσμίες | προθεσμία ΠΡΟΘΕΣΜΙΩΝ | προθεσμία προθεσμίας
εργασία εργασίες | εργασία εργασιών | υποβολή υποβολές | υποβολή υποβολής | υποβολή υποβολών | ανακοίνωση ανακοινώσεις
ανακοίνωση ανακοινώσεων | ανακοίνωση ανακοίνωσης | πρόσκληση προσκλήσεις | πρόσκληση προσκλήσεως | πρόγραμμα προγράμματα
πρόγραμμα προγράμματος | σύστημα συστημάτων | θέμα θέματα | θέμα θεμάτων | ερευνητής ερευνητές | ερευνητής ερευνητών
ερευνητής ερευνητή | συγγραφέας συγγραφείς | συγγραφέας συγγραφέων | επιστήμη επιστήμες | επιστήμη επιστημών
πανεπιστήμιο πανεπιστημίου | πανεπιστήμιο πανεπιστήμια | δίκτυο δίκτυα | δίκτυο δικτύων | δίκτυο ΔΙΚΤΥΑ | βάση βάσεις
βάση βάσεων | διεθνής διεθνές | διεθνής διεθνών | διεθνής διεθνή | επιστημονικός επιστημονική | επιστημονικός επιστημονικών
επιστημονικός επιστημονικού | νέος νέα | πληροφορία πληροφορίες | πληροφορική πληροφορικής | ημερομηνία ημερομηνίες
παιδί παιδιά | παιδί παιδιών | έδαφος εδάφους | έδαφος εδάφη | τεχνολογία τεχνολογίες | ποιότητα ποιότητας
ποιότητα ποιοτήτων | κεφάλαιο κεφαλαίων | άνθρωπος ανθρώπους | άνθρωπος ανθρώπων | μέθοδος μεθόδους | μέθοδος μεθόδων
λέξη λέξεις | φοιτητής φοιτήτρια | γράφω γράφουμε`

// Different words that begin alike.
const greekOthers = `
εργασία εργαστήριο | πρόγραμμα προγραμματισμός | σύστημα σύσταση | θέμα θέση | υποβολή υποβρύχιο | δίκτυο δικτάτορας
επιστήμη επιστημονικός | ανακοίνωση ανακάλυψη | βάση βάρος | χώρα χώρος | νόμος νομός | πόλη πόλος | λόγος λογική | φύλο φύλλο
πληροφορία πληροφορική | κράτος κράτηση | γράμμα γραμμή | τόπος τύπος | όρος όραση | μέρα μέρος`

func shared(t *testing.T, pairs string, norm func(string) string) (same, all int) {
	t.Helper()
	for pair := range strings.SplitSeq(strings.ReplaceAll(strings.TrimSpace(pairs), "\n", "|"), "|") {
		w := strings.Fields(pair)
		if len(w) != 2 {
			t.Fatalf("no pair: %q", pair)
		}
		all++
		if norm(w[0]) == norm(w[1]) {
			same++
		}
	}
	return same, all
}

// The figures of doc/decisions/008-greek.md.
func TestGreek(t *testing.T) {
	for _, c := range []struct {
		name          string
		norm          func(string) string
		forms, others int
	}{
		{"as written", strings.ToLower, 0, 0},
		{"folded", foldGreek, 0, 1},
		{"stemmed", stemGreek, 55, 4},
	} {
		forms, all := shared(t, greekForms, c.norm)
		others, n := shared(t, greekOthers, c.norm)
		t.Logf("%s: %d of %d pairs of forms, %d of %d pairs of different words", c.name, forms, all, others, n)
		if forms != c.forms || others != c.others {
			t.Errorf("%s: %d forms and %d others alike, want %d and %d", c.name, forms, others, c.forms, c.others)
		}
	}
}
