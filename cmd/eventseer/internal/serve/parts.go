package serve

import (
	"slices"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
)

// The parts of a service.
const (
	PartWeb     = "web"
	PartCrawl   = "crawl"
	PartMonitor = "monitor"
	PartMail    = "mail"
)

// Parts says which parts of a service run.
type Parts []string

// Has reports whether a part is among them.
func (p Parts) Has(part string) bool { return slices.Contains(p, part) }

// PartsOf reads --parts.
func PartsOf(text string) (Parts, error) {
	var p Parts
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if !slices.Contains([]string{PartWeb, PartCrawl, PartMonitor, PartMail}, part) {
			return nil, app.Usagef("--parts: %q is none of web, crawl, monitor, mail", part)
		}
		p = append(p, part)
	}
	return p, nil
}

// Possible leaves out the parts that lack what they need, and says what.
func Possible(a *app.App, p Parts) Parts {
	lacks := map[string]string{}
	if a.Config.Contact == "" {
		lacks[PartCrawl] = "no contact is set (`eventseer init --contact MAIL`)"
		lacks[PartMonitor] = lacks[PartCrawl]
	}
	if !engine.SendsMail(a) {
		lacks[PartMail] = "no smtp-server is set"
	}
	return slices.DeleteFunc(p, func(part string) bool {
		why, off := lacks[part]
		if off {
			a.Logf("%s is off: %s", part, why)
		}
		return off
	})
}
