package judges

import "testing"

// TestCrossFittedSetJudgesByFolds checks that pages of a host that was learned from are judged by models
// trained without it, and other pages by the shipped ones.
func TestCrossFittedSetJudgesByFolds(t *testing.T) {
	const learned, unknown = "https://juliacon.org/", "https://unknown.example/"
	shipped, err := Set{}.PageJudge()
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := CrossFittedSet().PageJudge()
	if err != nil {
		t.Fatal(err)
	}
	if got, full := fitted.For(learned), shipped.For(learned); got.CFP().Examples() >= full.CFP().Examples() || got.PageType().Examples() >= full.PageType().Examples() {
		t.Errorf("%s is judged by the models that learned from it", learned)
	}
	if got, full := fitted.For(unknown), shipped.For(unknown); got.CFP().Examples() != full.CFP().Examples() || got.PageType().Examples() != full.PageType().Examples() {
		t.Errorf("%s is not judged by the shipped models", unknown)
	}
}
