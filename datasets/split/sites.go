package split

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"fmt"
	"strings"
)

// SitesSeed seeds the split of the corpus of whole sites.
const SitesSeed = 1

// SitesTable is the split as it was drawn on 2026-11-24, before anything was chosen
// on it: the lines of sites.tsv, "SITE<TAB>work" or "SITE<TAB>validation".
//
//go:embed sites.tsv
var SitesTable string

// ReadPages are the addresses of the pages of the frozen web that were read to measure
// precision, one a line: nothing is learned from them or from what is near them.
//
//go:embed read.txt
var ReadPages string

// IsValidation reports whether a site of the corpus of whole sites is of the third that
// is measured only: nothing is chosen on its pages and nobody reads them or their
// errors. site is its name in the corpus, OWNER__REPOSITORY. All sites of an
// owner, which are often editions of one series, are in the same part: a site is
// of the validation part if the first 8 bytes of the SHA-256 of "SEED OWNER",
// in lower case and read as a big-endian number, divide by 3.
func IsValidation(site string) bool {
	owner, _, _ := strings.Cut(strings.ToLower(site), "__")
	sum := sha256.Sum256(fmt.Append(nil, SitesSeed, " ", owner))
	return binary.BigEndian.Uint64(sum[:])%3 == 0
}
