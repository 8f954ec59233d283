// Package tests holds the tests that look at the module as a whole.
package tests

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mayImport is the law of ARCHITECTURE.md: for each package of ours the
// packages of ours it may import. A new arrow is a reviewed line here.
// "x/..." allows x and everything below.
var mayImport = map[string][]string{
	"webgraph":                      {},
	"internal/bolt":                 {},
	"internal/browsertest":          {},
	"internal/chaos":                {},
	"internal/coding":               {},
	"internal/eventstest":           {"eventseer"},
	"internal/freeport":             {},
	"internal/golden":               {},
	"internal/lines":                {},
	"internal/significance":         {},
	"internal/tests":                {},
	"internal/warc":                 {"webgraph", "internal/coding"},
	"features/tagtree":              {"webgraph"},
	"features":                      {"features/tagtree", "webgraph"},
	"features/dictionary":           {"features", "internal/lines"},
	"classify":                      {"features/...", "webgraph"},
	"classify/svm":                  {"classify", "features"},
	"classify/centroid":             {"classify", "features"},
	"classify/nb":                   {"classify", "features"},
	"classify/boost":                {"classify", "features"},
	"classify/eval":                 {"classify", "features", "internal/significance"},
	"classify/classifytest":         {"classify", "features"},
	"crawler":                       {"features/tagtree", "webgraph"},
	"contextgraph":                  {"classify", "features/...", "webgraph"},
	"crawler/backlink":              {"crawler", "webgraph", "internal/bolt", "internal/warc", "internal/lines"},
	"crawler/backlink/backlinktest": {"crawler/backlink", "crawler", "webgraph"},
	"crawler/lab":                   {"crawler", "webgraph", "internal/significance"},
	"crawler/cluster":               {"crawler", "webgraph"},
	"crawler/cluster/clustertest":   {"crawler/cluster", "crawler", "webgraph"},
	"crawler/cluster/jetstream":     {"crawler/cluster"},
	"crawler/cluster/pages":         {"crawler/cluster", "webgraph", "internal/bolt", "internal/warc"},
	"crawler/fetch":                 {"crawler", "webgraph", "internal/coding"},
	"crawler/frontier":              {"crawler", "webgraph", "internal/bolt"},
	"crawler/frontier/frontiertest": {"crawler", "webgraph"},
	"crawler/monitor":               {"crawler", "features/tagtree", "webgraph", "internal/bolt", "internal/warc"},
	"crawler/render":                {"crawler", "features/tagtree", "webgraph"},
	"crawler/replay":                {"crawler", "webgraph", "internal/warc"},
	"crawler/rundir":                {"crawler", "webgraph"},
	"crawler/slicer":                {"crawler", "features/tagtree", "webgraph"},
	"crawler/strategy":              {"crawler", "classify", "contextgraph", "features/...", "webgraph"},
	"crawler/webtest":               {"webgraph"},
	"eventseer":                     {"features/...", "webgraph"},
	"eventseer/clip":                {"eventseer", "features/...", "internal/lines"},
	"eventseer/extract":             {"eventseer", "features/...", "webgraph"},
	"eventseer/mailbox":             {"webgraph"},
	"eventseer/mailbox/mailboxtest": {},
	"eventseer/export":              {"eventseer"},
	"eventseer/publish":             {"eventseer", "eventseer/publish/account", "eventseer/publish/match", "eventseer/publish/message", "eventseer/publish/queue", "eventseer/publish/records", "features/dictionary", "internal/bolt"},
	"eventseer/publish/account":     {"eventseer", "eventseer/publish/match", "eventseer/publish/message", "eventseer/publish/queue", "eventseer/publish/records"},
	"eventseer/publish/mailer":      {"eventseer", "eventseer/publish/message"},
	"eventseer/publish/mailertest":  {},
	"eventseer/publish/match":       {"eventseer", "eventseer/publish/message", "features", "features/dictionary"},
	"eventseer/publish/message":     {"eventseer"},
	"eventseer/publish/queue":       {"eventseer", "eventseer/publish/message", "eventseer/publish/records"},
	"eventseer/publish/records":     {"eventseer", "internal/bolt"},
	"eventseer/search":              {"eventseer", "features/dictionary"},
	"eventseer/store":               {"eventseer", "internal/bolt"},
	"eventseer/ui":                  {"eventseer", "eventseer/ui/account", "eventseer/ui/api", "eventseer/ui/internal/web", "eventseer/ui/tools", "eventseer/ui/views", "features/tagtree"},
	"eventseer/ui/account":          {"eventseer", "eventseer/ui/internal/web", "eventseer/ui/views"},
	"eventseer/ui/api":              {"eventseer", "eventseer/ui/views"},
	"eventseer/ui/internal/web":     {"eventseer", "eventseer/ui/views"},
	"eventseer/ui/tools":            {"eventseer", "eventseer/ui/internal/web", "eventseer/ui/views"},
	"eventseer/ui/views":            {"eventseer", "features/tagtree"},
	"eventseer/wrapper":             {"eventseer", "features/...", "webgraph"},
	"models":                        {},
	"datasets":                      {"features/...", "webgraph", "internal/warc", "internal/lines"},
	"datasets/simweb":               {"webgraph"},
	"cmd/eventseer":                 {"..."},
}

// importedBy names the packages that may import a library; all others must
// reach it through them.
var importedBy = map[string][]string{
	"github.com/gocolly/colly/v2":     {"crawler/fetch"},
	"go.etcd.io/bbolt":                {"internal/bolt", "crawler/frontier", "crawler/backlink", "crawler/monitor", "crawler/cluster/pages", "eventseer/store", "eventseer/publish", "eventseer/publish/account", "eventseer/publish/queue", "eventseer/publish/records"},
	"github.com/blevesearch/bleve/v2": {"eventseer/search"},
	"golang.org/x/net/html":           {"features/tagtree"},
	"github.com/ewalker544/libsvm-go": {"classify/svm"},
	"github.com/kljensen/snowball":    {"features"},
	"github.com/jdkato/prose/v2":      {"eventseer/extract"},
	"github.com/neurosnap/sentences":  {"eventseer/clip"},
	"github.com/nlnwa/whatwg-url":     {"webgraph"},
	"github.com/spf13/cobra":          {"cmd/eventseer"},
	"github.com/emersion/go-message":  {"eventseer/mailbox", "eventseer/publish/mailer"},
	"github.com/emersion/go-imap":     {"eventseer/mailbox", "eventseer/mailbox/mailboxtest"},
	"github.com/emersion/go-maildir":  {"eventseer/mailbox"},
	"znkr.io/diff":                    {"features/tagtree", "eventseer"},
	"github.com/knadh/koanf/v2":       {"cmd/eventseer"},
	"github.com/chromedp/chromedp":    {"crawler/render", "internal/browsertest"},
	"github.com/mmcdole/gofeed":       {"crawler/fetch"},
	"github.com/wneessen/go-mail":     {"eventseer/publish/mailer"},
	"github.com/emersion/go-msgauth":  {"eventseer/publish/mailer"},
	"github.com/emersion/go-smtp":     {"eventseer/publish/mailertest"},
	"github.com/arran4/golang-ical":   {"eventseer/export"},
	"github.com/nats-io":              {"crawler/cluster/jetstream"},

	"github.com/coreos/go-systemd/v22": {"cmd/eventseer"},

	"github.com/prometheus/client_golang": {"cmd/eventseer"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func TestLayering(t *testing.T) {
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, "eventseer/")
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("%s is not in the table mayImport: say what it may import", name)
			continue
		}
		for _, path := range p.Imports {
			if ours, ok := strings.CutPrefix(path, "eventseer/"); ok {
				if !matchesAny(allowed, ours) {
					t.Errorf("%s imports %s; it may import %v", name, ours, allowed)
				}
				continue
			}
			for library, users := range importedBy {
				if (path == library || strings.HasPrefix(path, library+"/")) && !slices.Contains(users, name) {
					t.Errorf("%s imports %s; only %v may", name, path, users)
				}
			}
		}
	}
}

func matchesAny(allowed []string, name string) bool {
	return slices.ContainsFunc(allowed, func(pattern string) bool {
		prefix, tree := strings.CutSuffix(pattern, "...")
		return name == pattern || tree && (strings.HasPrefix(name, prefix) || name == strings.TrimSuffix(prefix, "/"))
	})
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "eventseer/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}
