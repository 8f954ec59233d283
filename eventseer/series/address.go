package series

import (
	"net/url"
	"strings"

	"github.com/eventseer/eventseer/eventseer/extract/pattern"
)

// maxSiteParts bounds the folders of an address that are examined.
const maxSiteParts = 6

// SiteKeys returns the keys of the sites that an address may belong to, without years. They are its
// host and the hosts above it, and its host with each of its folders, such as "emnlp.org" of
// https://2025.emnlp.org/calls and "conf.researchr.org/icse" of
// https://conf.researchr.org/home/icse-2027.
func SiteKeys(address string) (keys []string) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || len(address) > maxText*4 {
		return nil
	}
	host := bareHost(u.Hostname())
	if host == "" {
		return nil
	}
	keys = append(keys, host)
	if labels := strings.Split(host, "."); len(labels) > 2 {
		for i := 1; i+1 < len(labels); i++ {
			keys = append(keys, strings.Join(labels[i:], "."))
		}
	}
	n := 0
	for part := range strings.SplitSeq(u.Path, "/") {
		if part = barePart(part); len(part) > 1 && n < maxSiteParts {
			keys = append(keys, host+"/"+part)
			n++
		}
	}
	return keys
}

// yearInPart matches a year in a label of a host or a folder, of four digits or of two at
// the end.
var yearInPart = pattern.Compile(`[-_.']*(19|20)\d\d[-_.]*|[-_']*\d\d$|^\d\d[-_]`)

// bareHost returns a host in lower case without "www" and years.
func bareHost(host string) string {
	var kept []string
	for label := range strings.SplitSeq(strings.ToLower(host), ".") {
		if label = barePart(label); label != "" && label != "www" {
			kept = append(kept, label)
		}
	}
	if len(kept) < 2 {
		return ""
	}
	return strings.Join(kept, ".")
}

// barePart returns a label or a folder in lower case without years, ordinals and the file
// extension.
func barePart(part string) string {
	part = strings.ToLower(part)
	for _, end := range []string{".html", ".htm", ".php"} {
		part = strings.TrimSuffix(part, end)
	}
	return strings.Trim(yearInPart.ReplaceAllString(part, ""), "-_. ")
}

// OwnSites returns the keys of an address that contain an acronym. By these the address belongs to
// the series even if its host has others too.
func OwnSites(address, acronym string) (own []string) {
	key := acronymKey(acronym)
	if key == "" {
		return nil
	}
	for _, site := range SiteKeys(address) {
		host, folder, inFolder := strings.Cut(site, "/")
		parts := strings.Split(host, ".")
		parts = parts[:len(parts)-1] // not the top level
		if inFolder {
			parts = []string{folder}
		}
		for i, part := range parts {
			if isNamedAfter(part, key) && (inFolder || i == 0) {
				own = append(own, site)
				break
			}
		}
	}
	return own
}

// isNamedAfter reports whether a label or a folder is named after an acronym. It equals the acronym or, if
// that is long enough, contains it as a part or at its beginning.
func isNamedAfter(part, key string) bool {
	for _, word := range strings.FieldsFunc(part, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		if acronymKey(word) == key {
			return true
		}
	}
	squeezed := acronymKey(part)
	return squeezed == key || len(key) >= 4 && (strings.HasPrefix(squeezed, key) || strings.HasSuffix(squeezed, key))
}
