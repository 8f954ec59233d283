package extract

import "testing"

// TestWordEnds matches words that end with letters outside ASCII.
func TestWordEnds(t *testing.T) {
	for s, ok := range map[string]bool{
		"重要日期":                sectionWords.MatchString("重要日期"),
		"重要な日程 2027":          sectionWords.MatchString("重要な日程一覧"),
		"投稿":                  submitAnchor.MatchString("投稿はこちら"),
		"modalità":            remoteHeld.MatchString("in modalità virtuale, online"),
		"Kites é um encontro": sentenceSubject.MatchString("Kites é um encontro"),
		"será":                isVerb.MatchString(" será realizado"),
	} {
		if !ok {
			t.Errorf("%s is not matched", s)
		}
	}
	if isVerb.MatchString(" estimates kites") || sentenceSubject.MatchString("Kites isolate winds") {
		t.Error("the beginning of a word is matched")
	}
}
