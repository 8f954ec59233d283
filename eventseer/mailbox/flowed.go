package mailbox

import "strings"

// unflow joins the lines of a flowed text (RFC 3676 section 4).
func unflow(text string, delSp bool) string {
	var b strings.Builder
	soft, softQuote := false, 0 // the last line goes on in the next one
	for i, line := range strings.Split(text, "\n") {
		rest := strings.TrimLeft(line, ">")
		quote := len(line) - len(rest)
		rest = strings.TrimPrefix(rest, " ") // space-stuffing
		signature := rest == "-- "
		joined := soft && quote == softQuote && !signature
		if !joined {
			if i > 0 {
				b.WriteByte('\n')
			}
			if quote > 0 {
				b.WriteString(strings.Repeat(">", quote) + " ")
			}
		}
		soft, softQuote = strings.HasSuffix(rest, " ") && !signature, quote
		if soft && delSp {
			rest = strings.TrimSuffix(rest, " ")
		}
		b.WriteString(rest)
	}
	return b.String()
}
