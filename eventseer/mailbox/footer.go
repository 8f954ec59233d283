package mailbox

import (
	"regexp"
	"slices"
	"strings"
)

// Bounds on what a list may have put below a message: the lines of a paragraph,
// and the paragraphs.
const (
	maxFooterLines  = 12
	maxFooterBlocks = 4
)

var (
	footerRule = regexp.MustCompile(`^\s*(?:_{5,}|-{5,}|={5,}|\*{5,}|~{5,}|#{5,}|-- ?)\s*$`)
	emptyRule  = regexp.MustCompile(`^[\s_=*~#-]*$`)
)

// footerWords are those by which lists tell of themselves, in the languages whose
// list managers have words of their own.
var footerWords = [...]string{
	"unsubscrib", "listinfo", "/mailman", "/listes", "/sympa", "mailman", "listserv", "majordomo", "jiscmail", "mailing list", "mailing-list", "mailinglist",
	"liste de diffusion", "subscribed to", "to be removed from", "list archive", "google groups", "groups.io", "yahoo! groups",
	"désabonner", "desabonner", "désinscri", "desinscri", "abmelden", "abbestellen", "suscripci", "darse de baja", "cancelar a assinatura", "annullare l'iscrizione", "uitschrijven", "avsluta prenumeration",
}

// withoutFooter drops the last paragraphs of a text that tell of the list it came
// by: how to leave it, where its archive is. A text of nothing else is kept.
func withoutFooter(text string) string {
	lines := strings.Split(text, "\n")
	end := len(lines)
	for range maxFooterBlocks {
		start, n := lastParagraph(lines[:end])
		if n == 0 || n > maxFooterLines || !tellsOfList(lines[start:end]) {
			break
		}
		end = start
	}
	if end == len(lines) || emptyRule.MatchString(strings.Join(lines[:end], "\n")) {
		return text
	}
	return strings.TrimRight(strings.Join(lines[:end], "\n"), " \t\n") + "\n"
}

// lastParagraph returns where the last paragraph begins and how many lines it
// has; a rule begins one.
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

// tellsOfList reports whether a paragraph speaks of a list, or is a rule alone.
func tellsOfList(lines []string) bool {
	text := strings.Join(lines, "\n")
	lower := strings.ToLower(text)
	return emptyRule.MatchString(text) || slices.ContainsFunc(footerWords[:], func(word string) bool { return strings.Contains(lower, word) })
}
