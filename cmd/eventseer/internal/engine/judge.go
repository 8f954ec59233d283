package engine

import (
	"fmt"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/models"
)

// A PageJudge finds the judge of a page: one for all, or that of its fold.
type PageJudge interface {
	For(pageURL string) *classify.Judge
}

// NewPageJudge returns the shipped models, cross-fitted or not, or a judge in
// which model files replace the shipped model of their task.
func NewPageJudge(which string, files []string) (PageJudge, error) {
	full, err := classify.ReadJudge(models.Files(), ".")
	if err != nil {
		return nil, err
	}
	switch {
	case which == "cross-fitted" && len(files) > 0:
		return nil, app.Usagef("--model and --models cross-fitted exclude each other")
	case which == "cross-fitted":
		return classify.ReadCrossFitted(models.Files(), "crossfit", full)
	case which != "shipped":
		return nil, app.Usagef("--models %q is neither shipped nor cross-fitted", which)
	}
	cfp, pageType := full.CFP(), full.PageType()
	for _, file := range files {
		m, err := OpenModel(file)
		if err != nil {
			return nil, err
		}
		switch m.Task {
		case classify.TaskCFP:
			cfp = m
		case classify.TaskPageType:
			pageType = m
		default:
			return nil, fmt.Errorf("%s: %w: it is of task %q, only cfp and page-type models judge pages", file, classify.ErrIncompatible, m.Task)
		}
	}
	return classify.NewJudge(cfp, pageType)
}
