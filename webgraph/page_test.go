package webgraph

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKeepHeaders(t *testing.T) {
	sent := http.Header{"Etag": {`"x"`}, "Set-Cookie": {"a=b"}, "Link": {"<a>", "<b>"}}
	kept := KeepHeaders(sent)
	if diff := cmp.Diff(http.Header{"Etag": {`"x"`}, "Link": {"<a>", "<b>"}}, kept); diff != "" {
		t.Error(diff)
	}
	kept["Link"][0] = "changed"
	if sent["Link"][0] != "<a>" {
		t.Error("KeepHeaders returned no copy")
	}
}

func TestDigest(t *testing.T) {
	const empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if got := (&Page{}).Digest(); got != empty {
		t.Errorf("digest of nothing = %s", got)
	}
}
