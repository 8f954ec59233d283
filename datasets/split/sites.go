package split

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"fmt"
	"strings"
)

// SitesSeed is the random seed for the split of the corpus of whole sites.
const SitesSeed = 1

// SitesTable is the split as it was drawn on 2026-11-24, before anything was chosen
// on it: the lines of sites.tsv, "SITE<TAB>work" or "SITE<TAB>validation".
//
//go:embed sites.tsv
var SitesTable string

// ReadPages are the addresses of the pages of the frozen web that were read to measure precision,
// one per line. Nothing is learned from them or from what is near them.
//
//go:embed read.txt
var ReadPages string

// HostedTable has calls of the frozen web with the names that their pages print. Many are for parts of something
// larger, such as workshops and special issues. It was read on 2026-11-27 and 2026-11-29; lines are
// "URL<TAB>PART<TAB>TITLE<TAB>ACRONYM<TAB>PARENT", forms between bars. PART is learn, or open or
// aside, from which and from what is near them nothing is learned. An acronym ? is not known.
//
//go:embed hosted.tsv
var HostedTable string

// A HostedCall is a line of HostedTable.
type HostedCall struct {
	URL, Part                 string
	Titles, Acronyms, Parents []string // nil for none
}

// HostedCalls returns the lines of HostedTable, in order.
func HostedCalls() ([]HostedCall, error) {
	var out []HostedCall
	for line := range strings.Lines(HostedTable) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 || f[1] != "learn" && f[1] != "open" && f[1] != "aside" {
			return nil, fmt.Errorf("hosted.tsv: %q must be an address, a part, a title, an acronym and a parent, tab-separated", line)
		}
		c := HostedCall{URL: f[0], Part: f[1]}
		for i, to := range []*[]string{&c.Titles, &c.Acronyms, &c.Parents} {
			if f[2+i] != "" {
				*to = strings.Split(f[2+i], "|")
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// IsValidation reports whether a site of the corpus of whole sites is in the third that is only measured.
// Nothing is chosen on its pages, and neither they nor their errors are read.
//
// The argument site is the name in the corpus, OWNER__REPOSITORY. All sites of an owner, which are often
// editions of one series, are in the same part: a site is in the validation part if the first 8 bytes of
// the SHA-256 of "SEED OWNER", in lower case and read as a big-endian number, are divisible by 3.
func IsValidation(site string) bool {
	owner, _, _ := strings.Cut(strings.ToLower(site), "__")
	sum := sha256.Sum256(fmt.Append(nil, SitesSeed, " ", owner))
	return binary.BigEndian.Uint64(sum[:])%3 == 0
}
