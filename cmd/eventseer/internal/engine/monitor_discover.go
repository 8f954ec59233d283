package engine

import (
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler/monitor"
	"eventseer/features/tagtree/template"
)

// discoverersOf lists the ways to pick new links, the one that is used first. chance is
// that of the link classifier.
func discoverersOf(chance monitor.Chance) []monitor.Discoverer {
	return []monitor.Discoverer{
		monitor.Weighed{Chance: chance},
		monitor.Semantic{},
		monitor.Semantic{Pattern: template.URLPattern},
		monitor.Likely{Chance: chance},
		monitor.AllNew{},
	}
}

// DiscovererNames returns the values of --links, the default first.
func DiscovererNames() (names []string) {
	for _, d := range discoverersOf(nil) {
		names = append(names, d.Name())
	}
	return names
}

// DiscovererOf returns the way of that name, with the shipped link model.
func DiscovererOf(name string) (monitor.Discoverer, error) {
	model, err := newLinkModel("shipped")
	if err != nil {
		return nil, err
	}
	for _, d := range discoverersOf(model.Links) {
		if d.Name() == name {
			return d, nil
		}
	}
	return nil, app.Usagef("--links %q is none of %s", name, strings.Join(DiscovererNames(), ", "))
}
