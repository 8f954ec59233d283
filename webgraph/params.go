package webgraph

import (
	"encoding/hex"
	"strings"
)

// tracking names parameters that say where a visitor came from and never identify the page. Names that
// start with utm_, mtm_ or hsa_ count too.
var tracking = map[string]bool{
	"gclid": true, "gclsrc": true, "dclid": true, "gbraid": true, "wbraid": true,
	"fbclid": true, "msclkid": true, "yclid": true, "twclid": true, "ttclid": true,
	"igshid": true, "igsh": true, "li_fat_id": true, "ref_src": true, "ref_url": true,
	"mc_cid": true, "mc_eid": true, "mkt_tok": true, "vero_id": true, "vero_conv": true,
	"_hsenc": true, "_hsmi": true, "__hstc": true, "__hssc": true, "__hsfp": true,
	"_ga": true, "_gl": true, "_openstat": true, "oly_anon_id": true, "oly_enc_id": true,
	"pk_campaign": true, "pk_kwd": true, "pk_keyword": true, "pk_source": true,
	"pk_medium": true, "pk_content": true, "pk_cid": true, "wickedid": true, "zanpid": true,
}

// A sessionRule determines when a parameter holds a visitor's session ID.
type sessionRule int

const (
	always    sessionRule = iota + 1 // always: the name has no other use
	ifIDShape                        // only if the value looks machine-generated
)

var sessions = map[string]sessionRule{
	"phpsessid": always, "jsessionid": always, "cfid": always, "cftoken": always,
	"sid": ifIDShape, "sessid": ifIDShape, "sessionid": ifIDShape, "session_id": ifIDShape,
	"session": ifIDShape, "oscsid": ifIDShape, "zenid": ifIDShape, "s_id": ifIDShape,
}

// isNoise reports whether a parameter, given as name=value, does not help to identify the page.
func isNoise(param string) bool {
	name, value, _ := strings.Cut(param, "=")
	name = strings.ToLower(name)
	if tracking[name] || strings.HasPrefix(name, "utm_") ||
		strings.HasPrefix(name, "mtm_") || strings.HasPrefix(name, "hsa_") {
		return true
	}
	switch sessions[name] {
	case always:
		return true
	case ifIDShape:
		return looksLikeSessionID(value)
	}
	return strings.HasPrefix(name, "aspsessionid")
}

// looksLikeSessionID reports whether a value looks like a session ID. That is at least eight hexadecimal digits, or
// at least twenty characters, with letters and digits mixed. Article numbers and words do not.
func looksLikeSessionID(value string) bool {
	letters, figures, hex := 0, 0, true
	for i := range len(value) {
		switch c := value[i]; {
		case '0' <= c && c <= '9':
			figures++
		case 'a' <= c && c <= 'f', 'A' <= c && c <= 'F':
			letters++
		case 'g' <= c && c <= 'z', 'G' <= c && c <= 'Z':
			letters++
			hex = false
		default:
			return false
		}
	}
	if letters == 0 || figures == 0 {
		return false
	}
	return hex && len(value) >= 8 || len(value) >= 20
}

func hasNoise(query string) bool {
	for param := range strings.SplitSeq(query, "&") {
		if isNoise(param) {
			return true
		}
	}
	return false
}

// cleanQuery normalizes a query and removes noise; the other parameters keep their order.
func cleanQuery(query string) string {
	query = normalizeEscapes(query)
	if !hasNoise(query) {
		return query
	}
	var kept []string
	for param := range strings.SplitSeq(query, "&") {
		if !isNoise(param) {
			kept = append(kept, param)
		}
	}
	return strings.Join(kept, "&")
}

// cleanPath normalizes a path and removes session IDs written as matrix parameters
// (/list;jsessionid=1F/). Without them a segment may be a dot segment, so these are resolved again.
func cleanPath(path string) string {
	path = normalizeEscapes(path)
	if !strings.Contains(path, ";") {
		return path
	}
	var kept []string
	segments := strings.Split(path, "/")[1:]
	for i, segment := range segments {
		segment = cleanSegment(segment)
		last := i == len(segments)-1
		switch segment {
		case "..":
			kept = kept[:max(0, len(kept)-1)]
			fallthrough
		case ".":
			if last {
				kept = append(kept, "")
			}
		default:
			kept = append(kept, segment)
		}
	}
	return "/" + strings.Join(kept, "/")
}

func cleanSegment(segment string) string {
	parts := strings.Split(segment, ";")
	kept := parts[:1]
	for _, part := range parts[1:] {
		if !isNoise(part) {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, ";")
}

// normalizeEscapes normalizes percent-encoding. Unreserved characters are decoded, other escapes are written in upper
// case. A stray % and characters that RFC 3986 allows in neither path nor query are encoded.
func normalizeEscapes(s string) string {
	i := 0
	for i < len(s) && isTidy(s[i]) {
		i++
	}
	if i == len(s) {
		return s
	}
	const upper = "0123456789ABCDEF"
	b := make([]byte, i, len(s)+8)
	copy(b, s)
	for ; i < len(s); i++ {
		c := s[i]
		if isTidy(c) {
			b = append(b, c)
			continue
		}
		if escaped, ok := decodeHexPair(s[i:]); c == '%' && ok {
			i += 2
			c = escaped
			if isUnreserved(c) {
				b = append(b, c)
				continue
			}
		}
		b = append(b, '%', upper[c>>4], upper[c&15])
	}
	return string(b)
}

func isTidy(c byte) bool {
	return isPlain(c) || c == '/' || c == '?' || c == ';' || c == '\''
}

// decodeHexPair returns the byte for the two hexadecimal digits after a %.
func decodeHexPair(s string) (c byte, ok bool) {
	if len(s) < 3 {
		return 0, false
	}
	var out [1]byte
	_, err := hex.Decode(out[:], []byte(s[1:3]))
	return out[0], err == nil
}
