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
	"webgraph":                               {},
	"internal/bolt":                          {},
	"internal/browsertest":                   {"internal/nightly"},
	"internal/chaos":                         {},
	"internal/coding":                        {},
	"internal/eventstest":                    {"eventseer", "eventseer/query", "eventseer/series"},
	"internal/freeport":                      {},
	"internal/golden":                        {},
	"internal/lines":                         {},
	"internal/nightly":                       {},
	"internal/significance":                  {},
	"internal/tests":                         {},
	"internal/warc":                          {"webgraph", "internal/atomicfile", "internal/coding", "internal/text"},
	"features/tagtree":                       {"features/htmltree", "webgraph", "internal/text"},
	"features":                               {"features/tagtree", "features/tagtree/slice", "internal/text", "webgraph"},
	"features/dictionary":                    {"features", "internal/lines", "internal/text"},
	"classify":                               {"features/...", "webgraph"},
	"classify/svm":                           {"classify", "features"},
	"classify/centroid":                      {"classify", "features"},
	"classify/nb":                            {"classify", "features"},
	"classify/boost":                         {"classify", "features"},
	"classify/eval":                          {"classify", "features", "internal/significance", "internal/usage"},
	"classify/classifytest":                  {"classify", "features"},
	"classify/active":                        {"classify", "eventseer", "features", "features/tagtree", "internal/bolt", "webgraph", "eventseer/ui/tools"},
	"classify/train":                         {"classify", "classify/boost", "classify/centroid", "classify/eval", "classify/nb", "classify/svm", "contextgraph", "datasets", "datasets/files", "features/...", "internal/tsv", "internal/usage", "webgraph"},
	"crawler":                                {"features/tagtree", "webgraph"},
	"contextgraph":                           {"classify", "features/...", "internal/atomicfile", "internal/text", "internal/usage", "webgraph"},
	"contextgraph/table":                     {"contextgraph", "internal/tsv", "webgraph"},
	"contextgraph/target":                    {"internal/tsv", "internal/usage", "webgraph"},
	"crawler/backlink":                       {"crawler", "webgraph", "internal/bolt", "internal/text"},
	"crawler/backlink/backlinktest":          {"crawler/backlink", "crawler", "webgraph"},
	"crawler/lab":                            {"crawler", "webgraph", "internal/significance", "crawler/rundir", "internal/atomicfile", "internal/bolt"},
	"crawler/cluster":                        {"crawler", "webgraph"},
	"crawler/cluster/clustertest":            {"crawler/cluster", "crawler", "webgraph"},
	"crawler/cluster/jetstream":              {"crawler/cluster", "crawler"},
	"crawler/cluster/pages":                  {"crawler/cluster", "webgraph", "internal/bolt", "internal/warc"},
	"crawler/fetch":                          {"crawler", "crawler/fetch/robots", "crawler/fetch/sitemap", "webgraph", "internal/coding"},
	"crawler/frontier":                       {"crawler", "crawler/frontier/handover", "crawler/frontier/hosts", "webgraph", "internal/bolt", "internal/text"},
	"crawler/monitor":                        {"crawler", "features/tagtree", "features/tagtree/diff", "features/tagtree/template", "webgraph", "internal/bolt", "internal/warc"},
	"crawler/render":                         {"crawler", "features/tagtree", "webgraph"},
	"crawler/replay":                         {"crawler", "webgraph", "internal/warc"},
	"crawler/rundir":                         {"crawler", "webgraph", "internal/atomicfile"},
	"crawler/slicer":                         {"crawler", "features/tagtree", "features/tagtree/slice", "webgraph", "features/tagtree/report"},
	"crawler/webtest":                        {"webgraph"},
	"eventseer":                              {"features/tagtree", "webgraph", "internal/text"},
	"eventseer/clip":                         {"eventseer", "features/...", "internal/lines", "internal/text"},
	"eventseer/extract":                      {"eventseer", "features/...", "webgraph"},
	"eventseer/mailbox":                      {"internal/atomicfile", "internal/text", "webgraph"},
	"eventseer/mailbox/mailboxtest":          {},
	"eventseer/publish":                      {"eventseer", "eventseer/query", "features/dictionary", "internal/bolt", "eventseer/publish/account", "eventseer/publish/match", "eventseer/publish/message", "eventseer/publish/queue", "eventseer/publish/records"},
	"eventseer/publish/mailer":               {"eventseer", "eventseer/publish/message", "internal/bolt", "internal/text"},
	"eventseer/publish/mailertest":           {},
	"eventseer/search":                       {"eventseer", "eventseer/series", "eventseer/query", "features/dictionary", "internal/text"},
	"eventseer/store":                        {"eventseer", "eventseer/series", "eventseer/validate", "eventseer/match", "eventseer/merge", "internal/bolt", "internal/text"},
	"eventseer/ui":                           {"eventseer", "eventseer/series", "eventseer/query", "eventseer/change", "eventseer/ui/account", "eventseer/ui/api", "eventseer/ui/internal/web", "eventseer/ui/tools", "eventseer/ui/views"},
	"eventseer/wrapper":                      {"eventseer", "features/...", "internal/text", "webgraph"},
	"models":                                 {},
	"datasets":                               {"features/...", "webgraph", "internal/warc", "internal/lines"},
	"datasets/simweb":                        {"webgraph"},
	"datasets/check":                         {"datasets", "features/tagtree", "webgraph"},
	"datasets/files":                         {"classify", "datasets", "features/...", "webgraph", "internal/usage", "internal/warc"},
	"datasets/public":                        {"internal/usage"},
	"datasets/split":                         {"classify/eval", "datasets", "datasets/files"},
	"datasets/stats":                         {"datasets", "features/tagtree", "webgraph"},
	"internal/tsv":                           {"internal/lines"},
	"internal/usage":                         {},
	"internal/text":                          {},
	"cmd/eventseer":                          slices.Concat([]string{"cmd/eventseer/internal/..."}, below),
	"cmd/eventseer/internal/app":             {"crawler", "crawler/monitor", "eventseer/mailbox", "eventseer/publish", "eventseer/search", "eventseer/store", "internal/bolt", "internal/text", "internal/usage", "webgraph", "internal/lines", "crawler/fetch/blocklist"},
	"cmd/eventseer/internal/serve":           slices.Concat([]string{"cmd/eventseer/internal/engine", "cmd/eventseer/internal/snapshot", "cmd/eventseer/internal/admin", "cmd/eventseer/internal/app"}, below),
	"cmd/eventseer/internal/engine":          slices.Concat([]string{"cmd/eventseer/internal/snapshot", "cmd/eventseer/internal/admin", "cmd/eventseer/internal/app"}, below),
	"cmd/eventseer/internal/snapshot":        {"cmd/eventseer/internal/admin", "cmd/eventseer/internal/app", "crawler/backlink", "crawler/frontier", "crawler/monitor", "eventseer/publish", "eventseer/store", "internal/bolt", "internal/text"},
	"cmd/eventseer/internal/admin":           {"cmd/eventseer/internal/app", "crawler", "crawler/backlink", "crawler/cluster", "crawler/frontier", "crawler/rundir", "eventseer/ui", "internal/text", "webgraph", "crawler/cluster/worker"},
	"features/htmltree":                      {"webgraph", "internal/text"},
	"features/tagtree/tagtreetest":           {"features/tagtree", "webgraph"},
	"features/tagtree/template":              {"features/tagtree", "features/htmltree", "webgraph", "internal/text"},
	"features/tagtree/diff":                  {"features/tagtree", "webgraph", "internal/text"},
	"features/tagtree/schema":                {"features/tagtree", "features/htmltree", "internal/text"},
	"features/tagtree/sanitize":              {"features/tagtree", "features/tagtree/slice", "features/htmltree", "webgraph", "internal/text"},
	"features/tagtree/slice":                 {"features/tagtree", "features/htmltree", "internal/text"},
	"features/tagtree/record":                {"features/tagtree", "features/htmltree", "webgraph", "internal/text"},
	"crawler/cluster/manager":                {"crawler/cluster", "crawler", "webgraph"},
	"crawler/cluster/worker":                 {"crawler/cluster", "crawler", "crawler/frontier", "webgraph"},
	"eventseer/series":                       {"eventseer", "internal/text"},
	"eventseer/query":                        {"eventseer", "eventseer/series", "features/dictionary", "internal/text"},
	"eventseer/validate":                     {"eventseer"},
	"eventseer/match":                        {"eventseer", "eventseer/series", "eventseer/validate", "features", "internal/text"},
	"eventseer/change":                       {"eventseer", "eventseer/validate", "features/tagtree", "internal/text", "webgraph", "features/tagtree/diff"},
	"eventseer/merge":                        {"eventseer", "eventseer/series", "eventseer/validate", "eventseer/match", "eventseer/change", "internal/text"},
	"eventseer/ingest":                       {"eventseer", "eventseer/series", "eventseer/validate", "eventseer/change", "eventseer/merge", "features/tagtree", "internal/text", "webgraph", "features/tagtree/diff"},
	"eventseer/exchange":                     {"eventseer", "eventseer/series", "internal/text", "webgraph"},
	"eventseer/wrapper/collection":           {"eventseer", "eventseer/wrapper", "features/tagtree", "webgraph", "features/tagtree/record", "features/tagtree/template", "internal/atomicfile", "internal/lines"},
	"eventseer/wrapper/wrappertest":          {"eventseer", "features/tagtree", "webgraph"},
	"crawler/backlink/edgeindex":             {"crawler/backlink", "webgraph", "internal/warc", "internal/lines"},
	"crawler/fetch/robots":                   {"webgraph"},
	"crawler/fetch/sitemap":                  {"webgraph"},
	"crawler/frontier/handover":              {},
	"crawler/frontier/hosts":                 {"crawler", "webgraph", "internal/text"},
	"crawler/strategy":                       {"crawler", "crawler/strategy/eventseer", "crawler/strategy/internal/part", "classify", "contextgraph", "features", "features/tagtree", "features/tagtree/slice", "webgraph"},
	"crawler/strategy/eventseer":             {"crawler", "crawler/strategy/internal/part", "features/tagtree", "webgraph"},
	"crawler/strategy/internal/part":         {"crawler", "classify", "features/tagtree", "webgraph", "features/tagtree/slice", "internal/text"},
	"crawler/strategy/internal/strategytest": {"crawler", "classify", "features/tagtree", "webgraph"},
	"eventseer/publish/account":              {"eventseer", "eventseer/publish/match", "eventseer/publish/message", "eventseer/publish/queue", "eventseer/publish/records", "eventseer/query"},
	"eventseer/publish/match":                {"eventseer", "eventseer/publish/message", "features/dictionary", "eventseer/query", "internal/text"},
	"eventseer/publish/message":              {"eventseer", "internal/text"},
	"eventseer/publish/queue":                {"eventseer", "eventseer/publish/message", "eventseer/publish/records", "webgraph"},
	"eventseer/publish/records":              {"eventseer", "internal/bolt"},
	"eventseer/ui/account":                   {"eventseer", "internal/text", "eventseer/ui/internal/web", "eventseer/ui/views", "eventseer/query"},
	"eventseer/ui/api":                       {"eventseer", "eventseer/ui/views", "eventseer/change"},
	"eventseer/ui/internal/web":              {"eventseer", "eventseer/ui/views"},
	"eventseer/ui/tools":                     {"eventseer", "eventseer/ui/internal/web", "eventseer/ui/views"},
	"eventseer/ui/views":                     {"eventseer", "internal/text", "eventseer/change", "eventseer/query", "eventseer/series", "features/tagtree/diff"},
	"eventseer/change/versions":              {"eventseer", "eventseer/change", "eventseer/validate", "features/tagtree", "features/tagtree/diff", "internal/text", "webgraph"},
	"features/tagtree/report":                {"features/tagtree", "features/tagtree/record", "internal/text"},
	"eventseer/wrapper/fields":               {"eventseer/wrapper", "internal/text"},
	"eventseer/wrapper/annotate":             {"eventseer/wrapper", "eventseer/wrapper/fields", "internal/text"},
	"eventseer/publish/bounce":               {"eventseer", "eventseer/publish", "eventseer/publish/mailer", "internal/text"},
	"eventseer/exchange/explain":             {"eventseer", "internal/text"},
	"eventseer/exchange/show":                {"eventseer", "eventseer/change/versions", "eventseer/exchange", "internal/text"},
	"eventseer/exchange/testcase":            {"eventseer", "eventseer/exchange/explain", "features/tagtree"},
	"eventseer/mailbox/taker":                {"classify", "eventseer", "eventseer/clip", "eventseer/ingest", "eventseer/mailbox", "eventseer/validate", "features", "features/tagtree", "webgraph"},
	"eventseer/exchange/dump":                {"eventseer", "eventseer/exchange", "internal/atomicfile", "internal/lines", "eventseer/store"},
	"eventseer/exchange/intake":              {"eventseer", "eventseer/exchange", "eventseer/exchange/ranks", "eventseer/extract", "eventseer/store", "eventseer/validate", "internal/lines"},
	"eventseer/exchange/ranks":               {"eventseer", "eventseer/exchange", "eventseer/series", "eventseer/store"},
	"cmd/eventseer/internal/member":          {"classify", "cmd/eventseer/internal/admin", "cmd/eventseer/internal/app", "cmd/eventseer/internal/engine", "crawler", "crawler/cluster", "crawler/cluster/jetstream", "crawler/cluster/manager", "crawler/cluster/pages", "crawler/cluster/worker", "crawler/frontier", "crawler/monitor", "eventseer", "eventseer/exchange", "eventseer/store", "models"},
	"crawler/seeds":                          {"crawler", "crawler/backlink", "webgraph"},
	"crawler/fetch/blocklist":                {"crawler", "crawler/fetch", "webgraph"},
	"crawler/replay/freeze":                  {"crawler/replay", "crawler/rundir", "features/tagtree", "internal/warc", "webgraph"},
	"internal/atomicfile":                    {},
}

// below is what the packages of the command may import: all libraries.
var below = []string{"classify/...", "contextgraph/...", "crawler/...", "datasets/...", "eventseer/...", "features/...", "internal/...", "models", "webgraph"}

// importedBy names the packages that may import a library; all others must
// reach it through them.
var importedBy = map[string][]string{
	"github.com/gocolly/colly/v2":         {"crawler/fetch"},
	"go.etcd.io/bbolt":                    {"internal/bolt", "crawler/frontier", "crawler/backlink", "crawler/monitor", "crawler/cluster/pages", "eventseer/store", "eventseer/publish", "eventseer/publish/account", "eventseer/publish/queue", "eventseer/publish/records"},
	"github.com/blevesearch/bleve/v2":     {"eventseer/search"},
	"golang.org/x/net/html":               {"features/htmltree", "features/tagtree", "features/tagtree/record", "features/tagtree/sanitize", "features/tagtree/schema", "features/tagtree/slice"},
	"github.com/ewalker544/libsvm-go":     {"classify/svm"},
	"github.com/kljensen/snowball":        {"features"},
	"github.com/jdkato/prose/v2":          {"eventseer/extract"},
	"github.com/neurosnap/sentences":      {"eventseer/clip"},
	"github.com/nlnwa/whatwg-url":         {"webgraph"},
	"github.com/spf13/cobra":              {"cmd/eventseer", "cmd/eventseer/internal/app"},
	"github.com/emersion/go-message":      {"eventseer/mailbox", "eventseer/publish/mailer", "eventseer/publish/mailertest"},
	"github.com/emersion/go-imap":         {"eventseer/mailbox", "eventseer/mailbox/mailboxtest"},
	"github.com/emersion/go-maildir":      {"eventseer/mailbox"},
	"znkr.io/diff":                        {"features/tagtree/diff", "eventseer/change"},
	"github.com/knadh/koanf/v2":           {"cmd/eventseer", "cmd/eventseer/internal/app"},
	"github.com/chromedp/chromedp":        {"crawler/render", "internal/browsertest"},
	"github.com/mmcdole/gofeed":           {"crawler/fetch/sitemap"},
	"github.com/wneessen/go-mail":         {"eventseer/publish/mailer"},
	"github.com/emersion/go-msgauth":      {"eventseer/publish/mailer"},
	"github.com/emersion/go-smtp":         {"eventseer/publish/mailertest"},
	"github.com/arran4/golang-ical":       {"eventseer/exchange"},
	"github.com/nats-io":                  {"crawler/cluster/jetstream"},
	"github.com/coreos/go-systemd/v22":    {"cmd/eventseer/internal/engine", "cmd/eventseer/internal/serve", "cmd/eventseer/internal/admin"},
	"github.com/prometheus/client_golang": {"cmd/eventseer", "cmd/eventseer/internal/..."},
}

type goPackage struct {
	ImportPath, Dir                    string
	Imports                            []string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

func (p goPackage) tested() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

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
				if (path == library || strings.HasPrefix(path, library+"/")) && !matchesAny(users, name) {
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
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles,TestGoFiles,XTestGoFiles", "eventseer/...").Output()
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
