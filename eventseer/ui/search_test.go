package ui

import "testing"

// Misspelt words are corrected with a message, natural dates and regions are understood, with a real index.
func TestSearchesAreUnderstood(t *testing.T) {
	o, _ := realWorld(t, 30)
	h := newUI(o)
	doc := page(t, h, "/search?q=crawlnig&all=1", 200)
	wantText(t, doc, ".instead", "Nothing is found for crawlnig. These are calls about crawling.")
	if doc.Find("li.call").Length() == 0 || doc.Find("#q").AttrOr("value", "") != "crawling" {
		t.Error("the corrected search shows no calls, or the box keeps what was misspelt")
	}
	doc = page(t, h, "/search?q=crawling+this+month", 200)
	wantText(t, doc, ".instead", "“this month” is read as due:2027-01")
	wantText(t, doc, "li.call h2", "ICX 2027")
	wantText(t, page(t, h, "/search?q=crawling+europe", 200), "li.call h2", "ICX 2027")
	if page(t, h, "/search?q=information+crawling+asia", 200).Find("li.call h2:contains('ICX 2027')").Length() != 0 {
		t.Error("a call in Norway is found in Asia")
	}
	for _, path := range []string{"/calendar", "/timeline", "/map"} {
		for _, view := range []string{"/calendar", "/timeline", "/map"} {
			if got := page(t, h, path+"?q=europe", 200).Find(".follow a[href='" + view + "?q=europe']").Length(); (got == 1) != (path != view) {
				t.Errorf("%s leads to %s %d times", path, view, got)
			}
		}
		if page(t, h, "/search?q=europe", 200).Find(".order a[href^='"+path+"?']").Length() != 1 {
			t.Errorf("a list does not lead to %s", path)
		}
	}
}
