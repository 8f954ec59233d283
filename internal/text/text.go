// Package text holds small helpers for strings that many packages need.
package text

import "strings"

// Cut bounds s to n bytes, at a rune; a cut string is valid UTF-8.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
