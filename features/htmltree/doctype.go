package htmltree

import (
	"strings"

	"golang.org/x/net/html"
)

// A doctype is the content of a document type declaration.
type doctype struct {
	name                 string
	public, system       string
	hasPublic, hasSystem bool
	quirks               bool // requires quirks mode (HTML §13.2.6.4.1)
}

// readDoctype reads the declaration after "<!DOCTYPE" and white space (HTML §13.2.5.53 to 68).
// Parts out of order require quirks mode.
func readDoctype(s string) doctype {
	s = strings.ReplaceAll(s, "\x00", "\ufffd")
	end := strings.IndexAny(s, spaceBytes)
	if end < 0 {
		end = len(s)
	}
	t := doctype{name: s[:end], quirks: s[:end] != "html"}
	t.name = strings.ToLower(t.name)
	rest := strings.TrimLeft(s[end:], spaceBytes)
	switch {
	case len(rest) >= 6 && equalName(rest[:6], "public"):
		if t.public, rest, t.hasPublic = readQuoted(rest[6:]); t.hasPublic {
			t.system, rest, t.hasSystem = readQuoted(rest)
		}
		t.quirks = t.quirks || !t.hasPublic
	case len(rest) >= 6 && equalName(rest[:6], "system"):
		t.system, rest, t.hasSystem = readQuoted(rest[6:])
		t.quirks = t.quirks || !t.hasSystem
	}
	t.quirks = t.quirks || strings.TrimLeft(rest, spaceBytes) != "" || isQuirksDoctype(&t)
	return t
}

const spaceBytes = " \t\n\f\r"

// readQuoted reads a string in quotes, and returns what is after it.
func readQuoted(s string) (value, rest string, ok bool) {
	s = strings.TrimLeft(s, spaceBytes)
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return "", s, false
	}
	value, rest, _ = strings.Cut(s[1:], s[:1])
	return value, rest, true
}

// isQuirksDoctype reports whether the identifiers are those of documents for old browsers.
func isQuirksDoctype(t *doctype) bool {
	public := strings.ToLower(t.public)
	switch public {
	case "-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html":
		return true
	}
	for _, prefix := range quirkyIDs {
		if strings.HasPrefix(public, prefix) {
			return true
		}
	}
	if !t.hasSystem && (strings.HasPrefix(public, "-//w3c//dtd html 4.01 frameset//") || strings.HasPrefix(public, "-//w3c//dtd html 4.01 transitional//")) {
		return true
	}
	return strings.EqualFold(t.system, "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd")
}

// identifierAttributes returns the identifiers in the form of x/net/html.
func (t *doctype) identifierAttributes() (list []html.Attribute) {
	if t.hasPublic {
		list = append(list, html.Attribute{Key: "public", Val: t.public})
	}
	if t.hasSystem {
		list = append(list, html.Attribute{Key: "system", Val: t.system})
	}
	return list
}

// quirkyIDs are the prefixes of public identifiers that require quirks mode (HTML §13.2.6.4.1).
var quirkyIDs = strings.Split(`+//silmaril//dtd html pro v0r11 19970101//
-//advasoft ltd//dtd html 3.0 aswedit + extensions//
-//as//dtd html 3.0 aswedit + extensions//
-//ietf//dtd html 2.0 level 1//
-//ietf//dtd html 2.0 level 2//
-//ietf//dtd html 2.0 strict level 1//
-//ietf//dtd html 2.0 strict level 2//
-//ietf//dtd html 2.0 strict//
-//ietf//dtd html 2.0//
-//ietf//dtd html 2.1e//
-//ietf//dtd html 3.0//
-//ietf//dtd html 3.2 final//
-//ietf//dtd html 3.2//
-//ietf//dtd html 3//
-//ietf//dtd html level 0//
-//ietf//dtd html level 1//
-//ietf//dtd html level 2//
-//ietf//dtd html level 3//
-//ietf//dtd html strict level 0//
-//ietf//dtd html strict level 1//
-//ietf//dtd html strict level 2//
-//ietf//dtd html strict level 3//
-//ietf//dtd html strict//
-//ietf//dtd html//
-//metrius//dtd metrius presentational//
-//microsoft//dtd internet explorer 2.0 html strict//
-//microsoft//dtd internet explorer 2.0 html//
-//microsoft//dtd internet explorer 2.0 tables//
-//microsoft//dtd internet explorer 3.0 html strict//
-//microsoft//dtd internet explorer 3.0 html//
-//microsoft//dtd internet explorer 3.0 tables//
-//netscape comm. corp.//dtd html//
-//netscape comm. corp.//dtd strict html//
-//o'reilly and associates//dtd html 2.0//
-//o'reilly and associates//dtd html extended 1.0//
-//o'reilly and associates//dtd html extended relaxed 1.0//
-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//
-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//
-//spyglass//dtd html 2.0 extended//
-//sq//dtd html 2.0 hotmetal + extensions//
-//sun microsystems corp.//dtd hotjava html//
-//sun microsystems corp.//dtd hotjava strict html//
-//w3c//dtd html 3 1995-03-24//
-//w3c//dtd html 3.2 draft//
-//w3c//dtd html 3.2 final//
-//w3c//dtd html 3.2//
-//w3c//dtd html 3.2s draft//
-//w3c//dtd html 4.0 frameset//
-//w3c//dtd html 4.0 transitional//
-//w3c//dtd html experimental 19960712//
-//w3c//dtd html experimental 970421//
-//w3c//dtd w3 html//
-//w3o//dtd w3 html 3.0//
-//webtechs//dtd mozilla html 2.0//
-//webtechs//dtd mozilla html//`, "\n")
