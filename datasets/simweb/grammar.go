package simweb

import (
	"embed"
	"math/rand/v2"
	"strings"
)

//go:embed text/*.txt
var textFiles embed.FS

// A grammar holds the web's words: rules by name, each a list of variants. In a variant, {a|b|c}
// stands for one of the alternatives and {name} for a slot of the page or, if the page has none of
// that name, for a rule.
type grammar map[string][]string

// loadGrammar reads text/name, and the names of the rules in their order. The files
// are part of the program; a line before the first [rule] belongs to the rule "".
func loadGrammar(names ...string) (g grammar, order []string) {
	g = grammar{}
	for _, name := range names {
		data, err := textFiles.ReadFile("text/" + name)
		if err != nil {
			panic(err) // the name is a constant of this package
		}
		rule := ""
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSpace(line)
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case isRuleName(line):
				rule = line[1 : len(line)-1]
				order = append(order, rule)
			default:
				g[rule] = append(g[rule], line)
			}
		}
	}
	return g, order
}

// isRuleName tells "[call.intro]" from text that happens to stand in brackets.
func isRuleName(line string) bool {
	return strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && !strings.Contains(line, "{")
}

// maxExpansion bounds how deep rules may refer to rules.
const maxExpansion = 12

// expand replaces the braces of text. Slots are inserted as they are.
func (g grammar) expand(r *rand.Rand, slots map[string]string, text string) string {
	return g.expandAt(r, slots, text, 0)
}

func (g grammar) expandAt(r *rand.Rand, slots map[string]string, text string, depth int) string {
	var b strings.Builder
	for depth < maxExpansion {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			break
		}
		b.WriteString(text[:open])
		inner, rest := closeBrace(text[open+1:])
		text = rest
		alternatives := splitChoice(inner)
		if len(alternatives) > 1 {
			b.WriteString(g.expandAt(r, slots, pick(r, alternatives), depth+1))
		} else if value, ok := slots[inner]; ok {
			b.WriteString(value)
		} else if variants := g[inner]; len(variants) > 0 {
			b.WriteString(g.expandAt(r, slots, pick(r, variants), depth+1))
		}
	}
	b.WriteString(text)
	return b.String()
}

// closeBrace splits text at the brace that closes the one just before it.
func closeBrace(text string) (inner, rest string) {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return text[:i], text[i+1:]
			}
		}
	}
	return text, ""
}

// splitChoice splits a|b|c at the bars outside inner braces.
func splitChoice(text string) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '|':
			if depth == 0 {
				out = append(out, text[start:i])
				start = i + 1
			}
		}
	}
	return append(out, text[start:])
}

// upperFirst makes the first letter of an ASCII text a capital.
func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
