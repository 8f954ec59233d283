package backlink

import (
	"fmt"
	"strconv"
	"strings"
)

// A Spec names a links file and how imperfectly it answers.
type Spec struct {
	Path string
	// Coverage is the share of links the service knows, 0 to 1.
	Coverage float64
	// Stale is the share of answers that are out of date, 0 to 1: their source
	// is gone or does not link to the page.
	Stale float64
	// Free says that it is asked as a file of our own, and not in place of a
	// service: its answers count no calls.
	Free bool
}

// ParseSpec reads LINKS.tsv.gz[:coverage=0.5,stale=0.2]. Coverage is 1 and
// stale 0 where nothing is said.
func ParseSpec(text string) (Spec, error) {
	s := Spec{Path: text, Coverage: 1}
	at := strings.LastIndexByte(text, ':')
	if at < 0 || !strings.Contains(text[at:], "=") {
		return s, s.check(text)
	}
	s.Path = text[:at]
	for _, setting := range strings.Split(text[at+1:], ",") {
		name, value, _ := strings.Cut(setting, "=")
		share, err := strconv.ParseFloat(value, 64)
		if err != nil || !(share >= 0 && share <= 1) {
			return s, fmt.Errorf("links %q: %s wants a share between 0 and 1, not %q", text, name, value)
		}
		switch name {
		case "coverage":
			s.Coverage = share
		case "stale":
			s.Stale = share
		default:
			return s, fmt.Errorf("links %q: unknown setting %q; coverage and stale are known", text, name)
		}
	}
	return s, s.check(text)
}

func (s Spec) check(text string) error {
	if s.Path == "" {
		return fmt.Errorf("links %q: the file is missing; write LINKS.tsv.gz[:coverage=0.5,stale=0.2]", text)
	}
	return nil
}
