package lab

import "testing"

func TestParseJudge(t *testing.T) {
	for spec, want := range map[string]JudgeSpec{
		"": {}, "perfect": {Perfect: true}, "noise=0.25": {Noise: 0.25}, "perfect,noise=0": {Perfect: true}, "noise=1,perfect": {true, 1},
	} {
		if got, err := ParseJudge(spec); err != nil || got != want {
			t.Errorf("ParseJudge(%q) = %+v, %v", spec, got, err)
		}
	}
	for _, bad := range []string{"good", "noise", "noise=", "noise=-0.1", "noise=1.1", "noise=NaN", "noise=0.1,noise=0.1", "perfect,perfect", "perfect,", ","} {
		if got, err := ParseJudge(bad); err == nil || got != (JudgeSpec{}) {
			t.Errorf("ParseJudge(%q) = %+v, want an error", bad, got)
		}
	}
}
