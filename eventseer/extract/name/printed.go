package name

import (
	"strings"
	"unicode"
)

const (
	maxAddresses    = 60 // addresses and links read per page
	maxPrintedParts = 200
	maxAddressBytes = 200
	minInPart       = 4 // minimum letters of an acronym that a part of an address begins or ends with
)

// addressPlace is a bit set of the places of an address on a page: its text, its links.
type addressPlace uint8

const (
	inText addressPlace = 1 << iota
	inLink
)

// readAddresses returns the parts of all addresses of sites and mailboxes in the page's text, and of links to
// other hosts, with their places. Organisers name sites, submission forms and mailboxes after the event.
func (d *document) readAddresses() map[string]addressPlace {
	parts, addresses := map[string]addressPlace{}, 0
	for i := range d.texts {
		t := &d.texts[i]
		if t.block < 0 || t.last > t.block {
			continue
		}
		if !isAddress(t.s) {
			continue
		}
		for word := range strings.FieldsFuncSeq(t.s, cannotBeInAddress) {
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

// isAddress reports whether s may contain the address of a site or a mailbox.
func isAddress(s string) bool {
	at := strings.IndexByte(s, '@')
	return at > 0 && at < len(s)-1 || strings.Contains(s, "://") || strings.Contains(s, "www.")
}

func cannotBeInAddress(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(`<>"()[],;`, r)
}

// addParts adds the words of an address found at w to parts, without years. Words of fewer than minInPart
// bytes are left out.
func addParts(parts map[string]addressPlace, address string, w addressPlace) {
	for _, part := range strings.FieldsFunc(strings.ToLower(cutToBytes(address, maxAddressBytes)), func(r rune) bool { return !isInWord(r) }) {
		if part = trimYear(part); len(part) >= minInAddress && len(parts) < maxPrintedParts {
			parts[part] |= w
		}
	}
}

// hostOf returns the host of an address without "www.". It is "" for an address without "://".
func hostOf(address string) string {
	_, host, _ := strings.Cut(address, "://")
	host, _, _ = strings.Cut(host, "/")
	return strings.TrimPrefix(host, "www.")
}

// partsWith returns where addresses contain the acronym low as a part, and where with a part that begins or
// ends with it.
func partsWith(parts map[string]addressPlace, low string) (whole, part addressPlace) {
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
