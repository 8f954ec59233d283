package name

import (
	"strings"
	"unicode"
)

const (
	maxAddresses    = 60 // printed addresses and links read of a page
	maxPrintedParts = 200
	maxAddressBytes = 200
	minInPart       = 4 // letters of an acronym that a part begins or ends with
)

// where says where a page holds an address: in its text, or after a link.
type where uint8

const (
	inText where = 1 << iota
	inLink
)

// readPrinted gathers the parts of the printed addresses of sites and mail, and of links to other
// hosts. Organisers name sites, submission forms and mailboxes after the event.
func (d *document) readPrinted() map[string]where {
	parts, addresses := map[string]where{}, 0
	for i := range d.texts {
		t := &d.texts[i]
		if t.block < 0 || t.last > t.block {
			continue
		}
		if !isAddress(t.s) {
			continue
		}
		for word := range strings.FieldsFuncSeq(t.s, notInAddress) {
			if addresses >= maxAddresses {
				break
			}
			if isAddress(word) {
				addParts(parts, word, inText)
				addresses++
			}
		}
	}
	own := hostOf(d.URL)
	for _, target := range d.Targets {
		if addresses >= maxAddresses {
			break
		}
		if hostOf(target) != own {
			addParts(parts, target, inLink)
			addresses++
		}
	}
	return parts
}

// isAddress reports whether s holds what addresses of sites and of mail do.
func isAddress(s string) bool {
	at := strings.IndexByte(s, '@')
	return at > 0 && at < len(s)-1 || strings.Contains(s, "://") || strings.Contains(s, "www.")
}

func notInAddress(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`<>"()[],;`, r) }

// addParts adds the words of an address, without years.
func addParts(parts map[string]where, address string, w where) {
	for _, part := range strings.FieldsFunc(strings.ToLower(clip(address, maxAddressBytes)), func(r rune) bool { return !inWord(r) }) {
		if part = trimYear(part); len(part) >= minInAddress && len(parts) < maxPrintedParts {
			parts[part] |= w
		}
	}
}

// hostOf returns the host of an address.
func hostOf(address string) string {
	_, host, _ := strings.Cut(address, "://")
	host, _, _ = strings.Cut(host, "/")
	return strings.TrimPrefix(host, "www.")
}

// bornBy returns how parts of addresses bear an acronym: as a whole, and at the begin or
// end of one.
func bornBy(parts map[string]where, low string) (whole, part where) {
	whole = parts[low]
	if len(low) >= minInPart {
		for p, w := range parts {
			if len(p) > len(low) && (strings.HasPrefix(p, low) || strings.HasSuffix(p, low)) {
				part |= w
			}
		}
	}
	return whole, part
}
