package ui

import "testing"

// TestViewsInABrowser looks at the pages of this part as readers do.
func TestViewsInABrowser(t *testing.T) {
	o, _ := realWorld(t, 150)
	_, o.Dumps = dumpWorld(t)
	b := openBrowser(t, newUI(o))
	b.CheckAll("/calendar?month=2027-02", "/calendar?day=2027-02-12", "/calendar?month=2027-02&q=%22", "/calendar/add?q=crawling", "/calendar/add?call=icx-2027&alarm=1", "/timeline", "/timeline?q=title:crawling&from=2027-03", "/map?all=1", "/api", "/data")
}
