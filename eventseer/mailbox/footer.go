package mailbox

import (
	"regexp"
	"slices"
	"strings"
)

// Limits on the footer that a list may have added: lines of a paragraph, and paragraphs.
const (
	maxFooterLines  = 12
	maxFooterBlocks = 4
)

var (
	footerRule = regexp.MustCompile(`^\s*(?:_{5,}|-{5,}|={5,}|\*{5,}|~{5,}|#{5,}|-- ?)\s*$`)
	emptyRule  = regexp.MustCompile(`^[\s_=*~#-]*$`)
)

// footerWords are words of list footers, in the languages of list managers.
var footerWords = [...]string{
	"unsubscrib", "listinfo", "/mailman", "/listes", "/sympa", "mailman", "listserv", "majordomo", "jiscmail", "mailing list", "mailing-list", "mailinglist",
	"liste de diffusion", "subscribed to", "to be removed from", "list archive", "google groups", "groups.io", "yahoo! groups",
	"désabonner", "desabonner", "désinscri", "desinscri", "abmelden", "abbestellen", "suscripci", "darse de baja", "cancelar a assinatura", "annullare l'iscrizione", "uitschrijven", "avsluta prenumeration",
}

// withoutFooter removes the last paragraphs of a text that are about its mailing list, such as how to
// unsubscribe or where its archive is. A text consisting only of such paragraphs is unchanged.
func withoutFooter(text string) string {
	lines := strings.Split(text, "\n")
	end := len(lines)
	for range maxFooterBlocks {
		start, n := lastParagraph(lines[:end])
		if n == 0 || n > maxFooterLines || !isAboutList(lines[start:end]) {
			break
		}
		end = start
	}
	if end == len(lines) || emptyRule.MatchString(strings.Join(lines[:end], "\n")) {
		return text
	}
	return strings.TrimRight(strings.Join(lines[:end], "\n"), " \t\n") + "\n"
}

// lastParagraph returns the start of the last paragraph and its number of lines. A line of hyphens begins a
// paragraph.
func lastParagraph(lines []string) (start, n int) {
	end := len(lines)
	for end > 0 && strings.TrimSpace(lines[end-1]) == "" {
		end--
	}
	for start = end; start > 0 && end-start <= maxFooterLines && strings.TrimSpace(lines[start-1]) != ""; {
		if start--; start < end-1 && footerRule.MatchString(lines[start]) {
			break
		}
	}
	return start, end - start
}

// isAboutList reports whether a paragraph is about a list, or is only a line of hyphens.
func isAboutList(lines []string) bool {
	text := strings.Join(lines, "\n")
	lower := strings.ToLower(text)
	return emptyRule.MatchString(text) || slices.ContainsFunc(footerWords[:], func(word string) bool { return strings.Contains(lower, word) })
}

// minEncoded is the minimum number of lines of an encoded file.
const minEncoded = 2

var (
	fileBegins   = regexp.MustCompile(`^begin(?:-base64)? [0-7]{3,4} \S`)
	armourBegins = regexp.MustCompile(`^-----BEGIN ([A-Z0-9 ]*(?:SIGNATURE|PUBLIC KEY BLOCK|CERTIFICATE|PRIVATE KEY))-----$`)
)

// withoutEncodedFiles removes encoded files from a text: uuencoded ones (POSIX uuencode), signatures and
// keys (RFC 9580 section 6.2). An unterminated one is removed up to the first line that cannot be
// part of it.
func withoutEncodedFiles(text string) string {
	if !strings.Contains(text, "begin") && !strings.Contains(text, "-----BEGIN ") {
		return text
	}
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	for i := 0; i < len(lines); i++ {
		if n := encodedFileLines(lines[i:]); n > 0 {
			i += n - 1
			continue
		}
		kept = append(kept, lines[i])
	}
	return strings.Join(kept, "\n")
}

// encodedFileLines returns the number of lines at the beginning that are an encoded file, 0 if there is none.
func encodedFileLines(lines []string) int {
	first := strings.TrimRight(lines[0], " \r")
	if m := armourBegins.FindStringSubmatch(first); m != nil {
		for n, line := range lines[1:] {
			switch {
			case strings.TrimRight(line, " \r") == "-----END "+m[1]+"-----":
				return n + 2
			case len(line) > 80 || strings.Count(line, " ") > 4 && !field.MatchString(line):
				return n + 1
			}
		}
		return len(lines)
	}
	if !fileBegins.MatchString(first) {
		return 0
	}
	for n, line := range lines[1:] {
		line = strings.TrimRight(line, "\r")
		switch {
		case line == "end", line == "====":
			return n + 2
		case line == "`", line == " ", line == "":
		case strings.Contains(line, " ") && strings.ContainsAny(line, "abcdefghijklmnopqrstuvwxyz"), len(line) > 80:
			if n < minEncoded {
				return 0
			}
			return n + 1
		}
	}
	return len(lines)
}
