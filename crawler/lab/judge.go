package lab

import (
	"fmt"
	"strconv"
	"strings"
)

// A JudgeSpec says how the judgements of the models are changed in an experiment.
type JudgeSpec struct {
	Perfect bool    // exactly the targets are calls
	Noise   float64 // probability that the judgement of a page is inverted
}

// ParseJudge reads "perfect", "noise=0.1" or both, separated by a comma. "" changes nothing.
func ParseJudge(spec string) (j JudgeSpec, err error) {
	if spec == "" {
		return j, nil
	}
	noisy := false
	for part := range strings.SplitSeq(spec, ",") {
		value, ok := strings.CutPrefix(part, "noise=")
		switch {
		case part == "perfect" && !j.Perfect:
			j.Perfect = true
		case ok && !noisy:
			noisy = true
			if j.Noise, err = strconv.ParseFloat(value, 64); err != nil || !(j.Noise >= 0 && j.Noise <= 1) {
				return JudgeSpec{}, fmt.Errorf("judge %.100q: noise is a number from 0 to 1", spec)
			}
		default:
			return JudgeSpec{}, fmt.Errorf("judge %.100q: write perfect, noise=0.1 or perfect,noise=0.1", spec)
		}
	}
	return j, nil
}
