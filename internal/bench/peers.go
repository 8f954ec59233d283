// Package bench compares the page analyzer with extractors of main text by other authors. It is a
// separate module, so that EventSeer's module does not depend on these.
package bench

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/eventseer/eventseer/webgraph"

	"codeberg.org/readeck/go-readability"
	shiori "github.com/go-shiori/go-readability"
	distiller "github.com/markusmobius/go-domdistiller"
	"github.com/markusmobius/go-trafilatura"
	"golang.org/x/net/html"
)

// A Peer extracts the main text of pages.
type Peer struct {
	Name string
	// read parses the bytes of a page and detects their charset, like tagtree.Parse.
	read func(io.Reader, *url.URL) (string, error)
	// readNode reads a page parsed by html.Parse, and may change it.
	readNode func(*html.Node, *url.URL) (string, error)
}

// Peers returns the extractors to compare, each called as its documentation recommends. go-readability is
// the fallback of go-trafilatura; readability-v0.6 is a newer port of the same version of Readability.js.
func Peers() []Peer {
	return []Peer{
		{"go-trafilatura", readTrafilatura, readTrafilaturaNode},
		{"go-readability", readShiori, readShioriNode},
		{"readability-v0.6", readReadability, readReadabilityNode},
		{"go-domdistiller", readDistiller, readDistillerNode},
	}
}

// FindPeer returns the peer with a name.
func FindPeer(name string) (Peer, error) {
	var names []string
	for _, p := range Peers() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Peer{}, fmt.Errorf("there is no peer %q, only %s", name, strings.Join(names, ", "))
}

// Text returns the main text of a page.
func (p Peer) Text(page *webgraph.Page) (string, error) {
	address, err := url.Parse(page.URL)
	if err != nil {
		return "", err
	}
	return p.read(bytes.NewReader(page.Body), address)
}

// TextUTF8 is like Text for a page that is known to be in UTF-8. No peer detects its charset.
func (p Peer) TextUTF8(page *webgraph.Page) (string, error) {
	address, err := url.Parse(page.URL)
	if err != nil {
		return "", err
	}
	root, err := html.Parse(bytes.NewReader(page.Body))
	if err != nil {
		return "", err
	}
	return p.readNode(root, address)
}

// trafilaturaOptions returns the options for the best text. Dates are not extracted, because that takes
// time.
func trafilaturaOptions(address *url.URL) trafilatura.Options {
	return trafilatura.Options{OriginalURL: address, EnableFallback: true, ExcludeComments: true, HtmlDateMode: trafilatura.Disabled}
}

func readTrafilatura(r io.Reader, address *url.URL) (string, error) {
	result, err := trafilatura.Extract(r, trafilaturaOptions(address))
	if err != nil {
		return "", err
	}
	return result.ContentText, nil
}

func readTrafilaturaNode(page *html.Node, address *url.URL) (string, error) {
	result, err := trafilatura.ExtractDocument(page, trafilaturaOptions(address))
	if err != nil {
		return "", err
	}
	return result.ContentText, nil
}

func readShiori(r io.Reader, address *url.URL) (string, error) {
	article, err := shiori.FromReader(r, address)
	return article.TextContent, err
}

func readShioriNode(page *html.Node, address *url.URL) (string, error) {
	article, err := shiori.FromDocument(page, address)
	return article.TextContent, err
}

func readReadability(r io.Reader, address *url.URL) (string, error) {
	article, err := readability.FromReader(r, address)
	return article.TextContent, err
}

func readReadabilityNode(page *html.Node, address *url.URL) (string, error) {
	parser := readability.NewParser()
	article, err := parser.ParseAndMutate(page, address)
	return article.TextContent, err
}

func distillerOptions(address *url.URL) *distiller.Options {
	return &distiller.Options{OriginalURL: address, SkipPagination: true}
}

func readDistiller(r io.Reader, address *url.URL) (string, error) {
	result, err := distiller.ApplyForReader(r, distillerOptions(address))
	if err != nil {
		return "", err
	}
	return result.Text, nil
}

func readDistillerNode(page *html.Node, address *url.URL) (string, error) {
	result, err := distiller.Apply(page, distillerOptions(address))
	if err != nil {
		return "", err
	}
	return result.Text, nil
}
