package main

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// plainGreekCall is a call in plain HTML whose words are all Greek.
const plainGreekCall = `<html lang="el"><head><meta charset="utf-8"><title>Συνέδριο Ποταμών 2027</title></head><body>
<h1>12ο Πανελλήνιο Συνέδριο Υδραυλικής των Ποταμών</h1><h2>Πρόσκληση υποβολής εργασιών</h2>
<p>Η οργανωτική επιτροπή σας προσκαλεί να υποβάλετε πρωτότυπες εργασίες για το συνέδριο που θα πραγματοποιηθεί στη Θεσσαλονίκη από 14 έως 16 Μαΐου 2027.</p>
<h3>Θεματικές ενότητες</h3><ul><li>Μεταφορά φερτών</li><li>Πλημμύρες</li><li>Ποιότητα υδάτων</li></ul>
<h3>Σημαντικές ημερομηνίες</h3><ul><li>Υποβολή περιλήψεων: 10 Ιανουαρίου 2027</li><li>Υποβολή εργασιών: 15 Φεβρουαρίου 2027</li><li>Ειδοποίηση αποδοχής: 20 Μαρτίου 2027</li></ul>
<p>Οι εργασίες θα κριθούν από την επιστημονική επιτροπή.</p></body></html>`

// plainGreekShop is a page in Greek that is not a call.
const plainGreekShop = `<html lang="el"><head><meta charset="utf-8"><title>Το βιβλιοπωλείο του ποταμού</title></head><body>
<h1>Το βιβλιοπωλείο του ποταμού</h1><p>Καλώς ήρθατε στο κατάστημά μας. Θα βρείτε βιβλία για ποτάμια, χάρτες και δώρα. Είμαστε ανοιχτά κάθε μέρα από τις 9 έως τις 17.</p>
<h2>Νέα βιβλία</h2><ul><li>Περίπατοι δίπλα στο νερό</li><li>Τα ψάρια της λίμνης</li></ul><p>Επικοινωνία και παραγγελίες στο τηλέφωνο του καταστήματος.</p></body></html>`

// TestPlainGreekCall checks that a call with Greek words only is recognised and its dates are read, while another Greek page
// is not a call.
func TestPlainGreekCall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	call, shop := filepath.Join(dir, "call.html"), filepath.Join(dir, "shop.html")
	writeFile(t, call, plainGreekCall)
	writeFile(t, shop, plainGreekShop)
	for path, want := range map[string]bool{call: true, shop: false} {
		code, stdout, stderr := runCaptured(t, "classify", path, "--format", "jsonl")
		if code != 0 {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
		var judged struct {
			IsCFP bool    `json:"is_cfp"`
			Score float64 `json:"cfp_score"`
		}
		if err := json.Unmarshal([]byte(stdout), &judged); err != nil {
			t.Fatal(err)
		}
		if judged.IsCFP != want {
			t.Errorf("%s is a call: %v (%.3f), want %v", filepath.Base(path), judged.IsCFP, judged.Score, want)
		}
	}
	code, stdout, stderr := runCaptured(t, "extract", call, "--data", filepath.Join(dir, "data"), "--format", "jsonl")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	wantText(t, "the record", stdout, `"event_start":"2027-05-14"`, `"event_end":"2027-05-16"`, `"kind":"abstract","date":"2027-01-10"`, `"kind":"submission","date":"2027-02-15"`, `"kind":"notification","date":"2027-03-20"`)
}
