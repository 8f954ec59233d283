package main

import (
	"slices"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
)

// The parts of a service.
const (
	partWeb     = "web"
	partCrawl   = "crawl"
	partMonitor = "monitor"
	partMail    = "mail"
)

// parts says which parts of a service run.
type parts []string

func (p parts) has(part string) bool { return slices.Contains(p, part) }

// partsOf reads --parts.
func partsOf(text string) (parts, error) {
	var p parts
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if !slices.Contains([]string{partWeb, partCrawl, partMonitor, partMail}, part) {
			return nil, app.Usagef("--parts: %q is none of web, crawl, monitor, mail", part)
		}
		p = append(p, part)
	}
	return p, nil
}

// possible leaves out the parts that lack what they need, and says what.
func possible(a *app.App, p parts) parts {
	lacks := map[string]string{}
	if a.Config.Contact == "" {
		lacks[partCrawl] = "no contact is set (`eventseer init --contact MAIL`)"
		lacks[partMonitor] = lacks[partCrawl]
	}
	if !engine.SendsMail(a) {
		lacks[partMail] = "no smtp-server is set"
	}
	return slices.DeleteFunc(p, func(part string) bool {
		why, off := lacks[part]
		if off {
			a.Logf("%s is off: %s", part, why)
		}
		return off
	})
}
