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

// module is the path of our packages, with a slash at its end.
const module = "github.com/eventseer/eventseer/"

// mayImport is the law of ARCHITECTURE.md: for each package of ours the
// packages of ours it may import. A new arrow is a reviewed word here, and one that is
// gone is to be taken out.
var mayImport = map[string][]string{
	"classify":              {"features", "features/tagtree", "webgraph"},
	"classify/active":       {"classify", "eventseer", "eventseer/ui/tools", "features", "features/tagtree", "internal/bolt", "webgraph"},
	"classify/boost":        {"classify"},
	"classify/centroid":     {"classify"},
	"classify/classifytest": {"classify", "features"},
	"classify/eval":         {"classify", "internal/significance", "internal/usage"},
	"classify/loglinear":    {"classify"},
	"classify/nb":           {"classify"},
	"classify/registry":     {"classify", "internal/atomicfile", "webgraph"},
	"classify/svm":          {"classify", "features"},
	"classify/train": {
		"classify", "classify/boost", "classify/centroid", "classify/eval", "classify/loglinear", "classify/nb", "classify/svm",
		"contextgraph", "datasets", "datasets/files", "eventseer", "eventseer/block", "eventseer/extract", "eventseer/match", "features", "features/tagtree",
		"internal/tsv", "internal/usage", "webgraph",
	},
	"cmd/eventseer": {
		"classify", "classify/active", "classify/eval", "classify/train", "cmd/eventseer/internal/admin",
		"cmd/eventseer/internal/app", "cmd/eventseer/internal/backlinks", "cmd/eventseer/internal/begin", "cmd/eventseer/internal/engine", "cmd/eventseer/internal/judges", "cmd/eventseer/internal/member",
		"cmd/eventseer/internal/menu", "cmd/eventseer/internal/reproduce", "cmd/eventseer/internal/serve", "cmd/eventseer/internal/snapshot", "contextgraph", "contextgraph/table", "contextgraph/target", "crawler", "crawler/backlink",
		"crawler/backlink/edgeindex", "crawler/cluster", "crawler/cluster/jetstream", "crawler/cluster/manager", "crawler/fetch",
		"crawler/fetch/blocklist", "crawler/fetch/robots", "crawler/lab", "crawler/monitor", "crawler/replay", "crawler/replay/freeze",
		"crawler/replay/split", "crawler/rundir", "crawler/seeds", "crawler/slicer", "crawler/strategy", "crawler/strategy/external", "datasets", "datasets/check", "datasets/files",
		"datasets/public", "datasets/simweb", "datasets/split", "datasets/stats", "eventseer", "eventseer/change",
		"eventseer/change/versions", "eventseer/clip", "eventseer/curate", "eventseer/curate/queue", "eventseer/exchange", "eventseer/exchange/dump", "eventseer/exchange/explain",
		"eventseer/exchange/intake", "eventseer/exchange/lists", "eventseer/exchange/ranks", "eventseer/exchange/show", "eventseer/exchange/testcase", "eventseer/extract",
		"eventseer/field", "eventseer/keyword", "eventseer/mailbox", "eventseer/mailbox/taker", "eventseer/match", "eventseer/merge", "eventseer/publish", "eventseer/publish/account", "eventseer/publish/bounce",
		"eventseer/publish/message", "eventseer/query", "eventseer/search", "eventseer/series", "eventseer/store", "eventseer/ui",
		"eventseer/ui/tools", "eventseer/ui/views", "eventseer/validate", "eventseer/wrapper", "eventseer/wrapper/annotate",
		"eventseer/wrapper/collection", "eventseer/wrapper/fields", "features", "features/dictionary", "features/tagtree",
		"features/tagtree/record", "features/tagtree/report", "features/tagtree/sanitize", "features/tagtree/slice",
		"features/tagtree/template", "internal/atomicfile", "internal/bolt", "internal/lines", "internal/spill", "internal/text", "internal/tsv",
		"internal/warc", "models", "webgraph",
	},
	"cmd/eventseer/internal/admin": {
		"cmd/eventseer/internal/app", "crawler", "crawler/backlink", "crawler/cluster", "crawler/cluster/worker", "crawler/frontier",
		"crawler/rundir", "eventseer/ui", "internal/text", "webgraph",
	},
	"cmd/eventseer/internal/backlinks": {
		"cmd/eventseer/internal/admin", "cmd/eventseer/internal/app", "crawler", "crawler/backlink", "features/tagtree", "internal/text", "webgraph",
	},
	"cmd/eventseer/internal/reproduce": {
		"cmd/eventseer/internal/app", "contextgraph", "contextgraph/reproduce", "contextgraph/table", "contextgraph/target", "datasets/simweb", "internal/atomicfile",
	},
	"cmd/eventseer/internal/app": {
		"crawler", "crawler/fetch/blocklist", "crawler/monitor", "eventseer/mailbox", "eventseer/publish", "eventseer/search",
		"eventseer/store", "features/dictionary", "internal/atomicfile", "internal/bolt", "internal/lines", "internal/text", "internal/usage",
	},
	"cmd/eventseer/internal/begin": {
		"cmd/eventseer/internal/admin", "cmd/eventseer/internal/app", "cmd/eventseer/internal/engine", "crawler/fetch", "crawler/monitor",
		"crawler/seeds", "eventseer/field", "internal/atomicfile", "internal/bolt", "internal/text", "webgraph",
	},
	"cmd/eventseer/internal/engine": {
		"classify", "classify/svm", "cmd/eventseer/internal/admin", "cmd/eventseer/internal/app", "cmd/eventseer/internal/judges", "cmd/eventseer/internal/snapshot",
		"contextgraph", "crawler", "crawler/backlink", "crawler/backlink/edgeindex", "crawler/fetch", "crawler/frontier",
		"crawler/frontier/hosts", "crawler/lab", "crawler/monitor", "crawler/render", "crawler/replay", "crawler/rundir", "crawler/seeds",
		"crawler/strategy", "crawler/strategy/external", "datasets", "datasets/simweb", "eventseer", "eventseer/clip", "eventseer/extract", "eventseer/ingest",
		"eventseer/mailbox", "eventseer/match", "eventseer/publish", "eventseer/publish/mailer", "eventseer/publish/message", "eventseer/search",
		"eventseer/series", "eventseer/store", "eventseer/wrapper/collection", "features", "features/tagtree", "features/tagtree/template", "internal/bolt",
		"internal/coding", "internal/text", "internal/warc", "models", "webgraph",
	},
	"cmd/eventseer/internal/judges": {
		"classify", "classify/registry", "classify/svm", "classify/train", "cmd/eventseer/internal/app", "contextgraph", "crawler/strategy", "crawler/strategy/external", "datasets", "eventseer/extract", "eventseer/match",
		"features", "features/tagtree", "internal/lines", "internal/text", "models",
	},
	"cmd/eventseer/internal/member": {
		"classify", "cmd/eventseer/internal/admin", "cmd/eventseer/internal/app", "cmd/eventseer/internal/engine", "cmd/eventseer/internal/judges", "crawler",
		"crawler/cluster", "crawler/cluster/jetstream", "crawler/cluster/manager", "crawler/cluster/pages", "crawler/cluster/worker",
		"crawler/frontier", "eventseer", "eventseer/curate", "eventseer/exchange", "eventseer/store", "internal/atomicfile", "internal/bolt", "models",
	},
	"cmd/eventseer/internal/menu": {"cmd/eventseer/internal/app"},
	"cmd/eventseer/internal/serve": {
		"classify", "cmd/eventseer/internal/admin", "cmd/eventseer/internal/app", "cmd/eventseer/internal/begin", "cmd/eventseer/internal/engine",
		"cmd/eventseer/internal/judges", "cmd/eventseer/internal/snapshot", "crawler", "crawler/cluster", "crawler/cluster/manager", "crawler/fetch", "crawler/monitor",
		"crawler/rundir", "eventseer", "eventseer/curate", "eventseer/curate/queue", "eventseer/publish", "eventseer/publish/account", "eventseer/publish/mailer",
		"eventseer/publish/message", "eventseer/publish/queue", "eventseer/search", "eventseer/store", "eventseer/ui",
		"eventseer/wrapper/collection", "internal/bolt", "internal/text", "models", "webgraph",
	},
	"cmd/eventseer/internal/snapshot": {
		"cmd/eventseer/internal/admin", "cmd/eventseer/internal/app", "crawler/backlink", "crawler/frontier", "crawler/monitor",
		"eventseer/publish", "eventseer/store", "internal/bolt", "internal/text",
	},
	"contextgraph":                  {"classify", "features", "features/tagtree", "internal/atomicfile", "internal/text", "internal/usage", "webgraph"},
	"contextgraph/reproduce":        {"contextgraph", "contextgraph/target"},
	"contextgraph/table":            {"contextgraph", "internal/tsv", "webgraph"},
	"contextgraph/target":           {"internal/tsv", "internal/usage", "webgraph"},
	"crawler":                       {"features/tagtree", "webgraph"},
	"crawler/backlink":              {"crawler", "crawler/backlink/linkruns", "crawler/backlink/sortedlinks", "internal/bolt", "internal/coding", "internal/text", "webgraph"},
	"crawler/backlink/backlinktest": {"crawler/backlink", "webgraph"},
	"crawler/backlink/edgeindex":    {"crawler/backlink", "crawler/backlink/sortedlinks", "internal/coding", "internal/lines", "internal/warc", "webgraph"},
	"crawler/backlink/linkruns":     {"crawler/backlink/sortedlinks", "internal/bolt"},
	"crawler/backlink/sortedlinks":  {},
	"crawler/cluster":               {"crawler", "webgraph"},
	"crawler/cluster/clustertest":   {"crawler/cluster"},
	"crawler/cluster/jetstream":     {"crawler", "crawler/cluster"},
	"crawler/cluster/manager":       {"crawler", "crawler/cluster", "webgraph"},
	"crawler/cluster/pages":         {"crawler/cluster", "internal/bolt", "internal/warc", "webgraph"},
	"crawler/cluster/worker":        {"crawler", "crawler/cluster", "crawler/frontier", "webgraph"},
	"crawler/fetch":                 {"crawler", "crawler/fetch/robots", "crawler/fetch/sitemap", "internal/coding", "webgraph"},
	"crawler/fetch/blocklist":       {"crawler", "webgraph"},
	"crawler/fetch/robots":          {"webgraph"},
	"crawler/fetch/sitemap":         {"webgraph"},
	"crawler/frontier":              {"crawler", "crawler/frontier/handover", "crawler/frontier/hosts", "internal/bolt", "internal/text", "webgraph"},
	"crawler/frontier/handover":     {},
	"crawler/frontier/hosts":        {"crawler", "internal/text", "webgraph"},
	"crawler/lab":                   {"crawler", "crawler/frontier/hosts", "crawler/rundir", "internal/atomicfile", "internal/bolt", "internal/significance", "internal/text", "internal/tsv", "webgraph"},
	"crawler/monitor":               {"crawler", "features/tagtree", "features/tagtree/diff", "features/tagtree/template", "internal/bolt", "internal/warc", "webgraph"},
	"crawler/render":                {"crawler", "features/tagtree", "webgraph"},
	"crawler/replay":                {"internal/warc", "webgraph"},
	"crawler/replay/split":          {"internal/atomicfile", "internal/tsv", "internal/warc", "webgraph"},
	"crawler/replay/freeze":         {"crawler/replay", "crawler/rundir", "features/tagtree", "internal/warc", "webgraph"},
	"crawler/rundir":                {"crawler", "internal/atomicfile", "internal/text", "webgraph"},
	"crawler/seeds":                 {"crawler", "crawler/backlink", "internal/text", "webgraph"},
	"crawler/slicer":                {"crawler", "features/tagtree", "features/tagtree/report", "features/tagtree/slice", "webgraph"},
	"crawler/strategy": {
		"classify", "crawler", "crawler/strategy/eventseer", "crawler/strategy/internal/part", "features", "features/tagtree",
		"features/tagtree/slice", "webgraph",
	},
	"crawler/strategy/eventseer":             {"crawler", "crawler/strategy/internal/part", "features", "features/tagtree", "webgraph"},
	"crawler/strategy/external":              {"crawler", "crawler/strategy", "internal/text", "webgraph"},
	"crawler/strategy/internal/part":         {"classify", "crawler", "features/tagtree", "features/tagtree/slice", "internal/text", "webgraph"},
	"crawler/strategy/internal/strategytest": {"classify", "crawler", "features/tagtree", "webgraph"},
	"crawler/webtest":                        {},
	"datasets":                               {"features", "features/htmltree", "features/tagtree", "internal/lines", "webgraph"},
	"datasets/check":                         {"datasets", "features/tagtree", "webgraph"},
	"datasets/files":                         {"classify", "datasets", "features", "features/tagtree", "internal/coding", "internal/usage", "internal/warc", "webgraph"},
	"datasets/public":                        {"internal/usage"},
	"datasets/simweb":                        {"webgraph"},
	"datasets/split":                         {"classify/eval", "datasets", "datasets/files"},
	"datasets/stats":                         {"datasets", "features/tagtree", "webgraph"},
	"eventseer":                              {"features/tagtree", "internal/text"},
	"eventseer/block":                        {"classify", "features/tagtree", "internal/text"},
	"eventseer/change":                       {"eventseer", "eventseer/extract/pattern", "eventseer/validate", "features/tagtree", "features/tagtree/diff", "internal/text", "webgraph"},
	"eventseer/change/versions":              {"eventseer", "eventseer/change", "eventseer/validate", "features/tagtree", "features/tagtree/diff", "internal/text", "webgraph"},
	"eventseer/curate/queue":                 {"eventseer", "eventseer/curate", "eventseer/store"},
	"eventseer/curate":                       {"eventseer", "eventseer/change", "eventseer/query", "eventseer/validate", "internal/text"},
	"eventseer/clip":                         {"eventseer", "features", "features/dictionary", "features/tagtree", "internal/lines", "internal/text"},
	"eventseer/exchange":                     {"eventseer", "eventseer/series", "internal/coding", "internal/text"},
	"eventseer/exchange/dump":                {"eventseer", "eventseer/exchange", "eventseer/store", "internal/atomicfile", "internal/lines"},
	"eventseer/exchange/explain":             {"eventseer", "internal/text"},
	"eventseer/exchange/intake":              {"eventseer", "eventseer/exchange", "eventseer/exchange/ranks", "eventseer/extract", "eventseer/store", "eventseer/validate", "internal/lines"},
	"eventseer/exchange/lists":               {"eventseer", "eventseer/series", "internal/lines", "internal/text"},
	"eventseer/exchange/ranks":               {"eventseer", "eventseer/exchange", "eventseer/series", "eventseer/store", "internal/text"},
	"eventseer/exchange/show":                {"eventseer", "eventseer/change/versions", "eventseer/exchange", "eventseer/field", "internal/text"},
	"eventseer/exchange/testcase":            {"eventseer", "eventseer/exchange/explain", "features/tagtree"},
	"eventseer/field":                        {"classify", "eventseer", "features", "models"},
	"eventseer/extract":                      {"classify", "eventseer", "eventseer/block", "eventseer/extract/date", "eventseer/extract/name", "eventseer/extract/pattern", "eventseer/extract/person", "eventseer/extract/wording", "features", "features/tagtree", "features/tagtree/schema", "internal/text", "models", "webgraph"},
	"eventseer/extract/date":                 {"eventseer", "eventseer/extract/pattern", "internal/text"},
	"eventseer/extract/pattern":              {},
	"eventseer/extract/person":               {"classify", "eventseer/block", "features/tagtree"},
	"eventseer/extract/wording":              {"internal/text"},
	"eventseer/extract/name":                 {"classify", "eventseer/block", "features/tagtree"},
	"eventseer/ingest": {
		"eventseer", "eventseer/change", "eventseer/match", "eventseer/merge", "eventseer/series", "eventseer/validate", "features/tagtree",
		"features/tagtree/diff", "internal/text", "webgraph",
	},
	"eventseer/keyword":             {"eventseer", "eventseer/query", "features", "internal/text"},
	"eventseer/mailbox":             {"internal/atomicfile", "internal/text", "webgraph"},
	"eventseer/mailbox/mailboxtest": {},
	"eventseer/mailbox/taker":       {"classify", "eventseer", "eventseer/clip", "eventseer/ingest", "eventseer/mailbox", "eventseer/validate", "features", "features/tagtree", "webgraph"},
	"eventseer/match":               {"classify", "eventseer", "eventseer/extract/pattern", "eventseer/series", "eventseer/validate", "features", "internal/text", "models"},
	"eventseer/merge":               {"eventseer", "eventseer/change", "eventseer/extract/date", "eventseer/match", "eventseer/series", "eventseer/validate", "internal/text"},
	"eventseer/publish": {
		"eventseer", "eventseer/publish/account", "eventseer/publish/match", "eventseer/publish/message", "eventseer/publish/queue",
		"eventseer/publish/records", "eventseer/query", "eventseer/series", "features/dictionary", "internal/bolt",
	},
	"eventseer/publish/account":    {"eventseer", "eventseer/publish/match", "eventseer/publish/message", "eventseer/publish/queue", "eventseer/publish/records", "eventseer/query", "internal/bolt"},
	"eventseer/publish/bounce":     {"eventseer", "eventseer/publish", "eventseer/publish/mailer", "internal/text"},
	"eventseer/publish/mailer":     {"eventseer/publish/message", "internal/bolt", "internal/text"},
	"eventseer/publish/mailertest": {},
	"eventseer/publish/match":      {"eventseer", "eventseer/clip", "eventseer/publish/message", "eventseer/query", "features/dictionary", "internal/text"},
	"eventseer/publish/message":    {"eventseer", "internal/text"},
	"eventseer/publish/queue":      {"eventseer", "eventseer/publish/message", "eventseer/publish/records", "internal/bolt", "webgraph"},
	"eventseer/publish/records":    {"eventseer", "internal/bolt"},
	"eventseer/query":              {"eventseer", "eventseer/field", "eventseer/series", "eventseer/topic", "features/dictionary", "internal/text"},
	"eventseer/search":             {"eventseer", "eventseer/field", "eventseer/query", "eventseer/series", "eventseer/topic", "features/dictionary", "internal/text"},
	"eventseer/series":             {"eventseer", "eventseer/extract/pattern", "internal/text"},
	"eventseer/store":              {"eventseer", "eventseer/curate", "eventseer/field", "eventseer/match", "eventseer/merge", "eventseer/series", "eventseer/validate", "internal/bolt", "internal/text"},
	"eventseer/topic":              {"features", "features/dictionary", "internal/text"},
	"eventseer/ui": {
		"eventseer", "eventseer/change", "eventseer/clip", "eventseer/curate", "eventseer/query", "eventseer/series", "eventseer/ui/account", "eventseer/ui/api",
		"eventseer/ui/internal/web", "eventseer/ui/tools", "eventseer/ui/views",
	},
	"eventseer/ui/account":       {"eventseer", "eventseer/query", "eventseer/ui/internal/web", "eventseer/ui/views", "internal/text"},
	"eventseer/ui/api":           {"eventseer", "eventseer/change", "eventseer/ui/views"},
	"eventseer/ui/internal/web":  {"eventseer", "eventseer/ui/views"},
	"eventseer/ui/tools":         {"eventseer", "eventseer/ui/internal/web", "eventseer/ui/views"},
	"eventseer/ui/views":         {"eventseer", "eventseer/change", "eventseer/field", "eventseer/query", "eventseer/series", "features/tagtree/diff", "internal/text"},
	"eventseer/validate":         {"eventseer"},
	"eventseer/wrapper":          {"eventseer", "features/tagtree", "features/tagtree/template", "internal/text", "webgraph"},
	"eventseer/wrapper/annotate": {"eventseer/wrapper", "eventseer/wrapper/fields", "internal/text"},
	"eventseer/wrapper/collection": {
		"eventseer", "eventseer/wrapper", "features/tagtree", "features/tagtree/record", "features/tagtree/template", "internal/atomicfile",
		"internal/lines", "webgraph",
	},
	"eventseer/wrapper/fields":      {"eventseer/wrapper", "internal/text"},
	"eventseer/wrapper/wrappertest": {"eventseer", "features/tagtree", "webgraph"},
	"features":                      {"features/tagtree", "features/tagtree/slice", "internal/text", "webgraph"},
	"features/dictionary":           {"features", "internal/lines", "internal/text"},
	"features/htmltree":             {"internal/text", "webgraph"},
	"features/tagtree":              {"features/htmltree", "internal/text", "webgraph"},
	"features/tagtree/diff":         {"features/tagtree", "internal/text", "webgraph"},
	"features/tagtree/record":       {"features/htmltree", "features/tagtree", "internal/text", "webgraph"},
	"features/tagtree/report":       {"features/tagtree", "features/tagtree/record", "internal/text"},
	"features/tagtree/sanitize":     {"features/htmltree", "features/tagtree", "features/tagtree/slice", "internal/text", "webgraph"},
	"features/tagtree/schema":       {"features/htmltree", "features/tagtree", "internal/text"},
	"features/tagtree/slice":        {"features/htmltree", "features/tagtree", "internal/text"},
	"features/tagtree/tagtreetest":  {"features/tagtree", "webgraph"},
	"features/tagtree/template":     {"features/tagtree", "internal/text", "webgraph"},
	"internal/atomicfile":           {},
	"internal/bolt":                 {},
	"internal/browsertest":          {"internal/nightly"},
	"internal/chaos":                {},
	"internal/coding":               {},
	"internal/eventstest":           {"eventseer"},
	"internal/freeport":             {},
	"internal/golden":               {},
	"internal/lines":                {},
	"internal/nightly":              {},
	"internal/significance":         {},
	"internal/tests":                {},
	"internal/spill":                {},
	"internal/text":                 {},
	"internal/tsv":                  {"internal/coding", "internal/lines"},
	"internal/usage":                {},
	"internal/warc":                 {"internal/atomicfile", "internal/coding", "internal/text", "webgraph"},
	"models":                        {},
	"webgraph":                      {},
}

// importedBy names the packages that may import a library; all others must
// reach it through them.
var importedBy = map[string][]string{
	"github.com/gocolly/colly/v2":         {"crawler/fetch"},
	"go.etcd.io/bbolt":                    {"internal/bolt"},
	"github.com/blevesearch/bleve/v2":     {"eventseer/search"},
	"golang.org/x/net/html":               {"features/htmltree", "features/tagtree", "features/tagtree/record", "features/tagtree/sanitize", "features/tagtree/schema", "features/tagtree/slice"},
	"github.com/ewalker544/libsvm-go":     {"classify/svm"},
	"github.com/jdkato/prose/v2":          {"eventseer/keyword"},
	"github.com/kljensen/snowball":        {"features"},
	"github.com/neurosnap/sentences":      {"eventseer/clip"},
	"github.com/nlnwa/whatwg-url":         {"webgraph"},
	"github.com/spf13/cobra":              {"cmd/eventseer", "cmd/eventseer/internal/app", "cmd/eventseer/internal/menu"},
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
	"github.com/prometheus/client_golang": {"cmd/eventseer", "cmd/eventseer/internal/admin", "cmd/eventseer/internal/engine", "cmd/eventseer/internal/serve"},
}

type goPackage struct {
	ImportPath, Dir                    string
	Imports                            []string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

func (p goPackage) tested() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

func TestLayering(t *testing.T) {
	packages := map[string]bool{}
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		packages[name] = true
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("%s is not in the table mayImport: say what it may import", name)
			continue
		}
		for _, ours := range allowed {
			if apart(name, ours) {
				t.Errorf("the table lets %s import %s, against section 3 of ARCHITECTURE.md", name, ours)
			}
			if !slices.Contains(p.Imports, module+ours) {
				t.Errorf("%s may import %s and does not: take it out of the table", name, ours)
			}
		}
		for _, path := range p.Imports {
			if ours, ok := strings.CutPrefix(path, module); ok {
				if !slices.Contains(allowed, ours) {
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
	for name := range mayImport {
		if !packages[name] {
			t.Errorf("the table mayImport has %s, which is no package", name)
		}
	}
}

// apart reports whether two packages must not import each other: crawler and eventseer, and crawler (except
// its strategies) and the judges.
func apart(from, to string) bool {
	in := func(name, tree string) bool { return name == tree || strings.HasPrefix(name, tree+"/") }
	switch {
	case in(from, "crawler"):
		judges := in(to, "classify") || in(to, "contextgraph")
		return in(to, "eventseer") || in(to, "cmd") || judges && !in(from, "crawler/strategy")
	case in(from, "eventseer"):
		return in(to, "crawler") || in(to, "cmd")
	}
	return in(to, "cmd") && !in(from, "cmd")
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles,TestGoFiles,XTestGoFiles", module+"...").Output()
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
