package web

import (
	"net/http"
	"strings"
	"unicode"

	"eventseer/eventseer/ui/views"
)

// An ErrorPage says what went wrong.
type ErrorPage struct {
	views.Frame
	Status int
	Text   string
	On     views.Link // where to go from here
}

// ErrorTitle says what went wrong in a few plain words.
func ErrorTitle(status int) string {
	switch status {
	case http.StatusNotFound:
		return "Page not found"
	case http.StatusBadRequest:
		return "That could not be understood"
	case http.StatusForbidden:
		return "That is not allowed"
	case http.StatusTooManyRequests:
		return "Too many requests"
	case http.StatusServiceUnavailable:
		return "Not available now"
	case http.StatusInternalServerError:
		return "Something went wrong"
	}
	return http.StatusText(status)
}

// missing says what is not there at a path, and where it may be found.
func missing(path, text string) (string, views.Link) {
	kind, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	name, _, _ := strings.Cut(rest, "/")
	switch path {
	case "/submit":
		return "This site takes no pages from visitors.", views.Link{}
	case LabelPath:
		return "No pages wait to be labelled here: that takes a serve with --label-input.", views.Link{Text: "All pages of the operator", Href: AdminPath}
	}
	words := strings.Join(strings.FieldsFunc(views.Clip(name, 100), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
	if words == "" {
		return text, views.Link{}
	}
	on := views.Link{Text: "Search for “" + words + "”", Href: views.SearchHref(words, true)}
	switch kind {
	case "e":
		return "There is no call of this name here.", on
	case "s":
		return "There is no series of this name here.", on
	}
	return text, views.Link{}
}
