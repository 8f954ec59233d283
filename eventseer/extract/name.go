package extract

import (
	"strings"
	"unicode"
)

// namesIn returns the names of events spelt out in running text: capitalised
// words around a noun such as Conference.
func namesIn(s string) []string {
	words := strings.Fields(s)
	var out []string
	for i := 0; i < len(words) && len(out) < 8; i++ {
		short := i > 0 && acronymInTitle(words[i-1]) != "" // "ICX2027 workshop"
		if !nouns.MatchString(words[i]) || !capital(words[i]) && !short {
			continue
		}
		from := i
		for from > 0 && i-from < 14 && (partOfName(words[from-1]) || from > 1 && nameLink[words[from-1]] && partOfName(words[from-2])) && (!endsName(words[from-1]) || acronymInTitle(words[from-1]) != "") {
			from--
		}
		for from < i && nameLink[strings.ToLower(words[from])] {
			from++
		}
		to := i + 1
		for to < len(words) && to-i < 24 && !endsName(words[to-1]) && (partOfName(words[to]) || linksOn(words, to)) {
			to++
		}
		for to > i+1 && nameLink[words[to-1]] {
			to--
		}
		if to-from >= 3 || short {
			out = append(out, strings.TrimRight(strings.Join(words[from:to], " "), ".,;:"))
		}
		i = to
	}
	return out
}

func linksOn(words []string, i int) bool {
	for n := 0; n < 3 && i+n < len(words); n++ {
		if partOfName(words[i+n]) {
			return n > 0
		}
		if !nameLink[words[i+n]] {
			return false
		}
	}
	return false
}

func partOfName(w string) bool {
	return capital(w) || rank.MatchString(w) || w == "&" || strings.HasPrefix(w, "(") && len(w) > 2 && capital(w[1:])
}

func capital(w string) bool {
	for _, r := range strings.TrimLeft(w, "„“”\"'«") {
		return unicode.IsUpper(r) || unicode.IsDigit(r) && rank.MatchString(w) || yearPattern.MatchString(w)
	}
	return false
}

// endsName reports whether a name cannot go on after the word.
func endsName(w string) bool {
	return strings.HasSuffix(w, ".") && len(w) > 4 || strings.HasSuffix(w, ";") || strings.HasSuffix(w, ":") || strings.HasSuffix(w, "),") || strings.HasSuffix(w, ")") || yearPattern.MatchString(w) && strings.HasSuffix(w, ",")
}

var nameLink = wordSet("on of for in and the to at & de da do dos das del della des du la le les los las em e y et sobre für und der des im an")
