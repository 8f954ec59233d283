package crawler

import (
	"strings"
	"testing"
)

func TestParseValues(t *testing.T) {
	for _, s := range []string{"page=1,pdf=1,mail=0.2,again=1,past=0.5", "page=0.5,pdf=0,mail=1,again=0,past=0"} {
		if v, err := ParseValues(s); err != nil || v.String() != s {
			t.Errorf("%s: %s, %v", s, v, err)
		}
	}
	if v, err := ParseValues("mail=0"); err != nil || v.Page != 1 || v.Mail != 0 || v.Again != 1 {
		t.Errorf("values that are not named: %+v, %v", v, err)
	}
	for s, want := range map[string]string{
		"": "not one of", "pages=1": "not one of", "mail": "not a number", "mail=NaN": "not a number", "mail=1.1": "not a number", "past=-1": "not a number",
		"mail=0,mail=1": "twice", "page=0,pdf=0,mail=0": "no kind",
	} {
		if v, err := ParseValues(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v", s, v, err)
		}
	}
	if got := (Values{}).OrDefault(); got != DefaultValues() {
		t.Errorf("zero values are %s", got)
	}
}
