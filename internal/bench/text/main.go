// Command text writes the main text that a peer finds in the pages of a folder, in the format that
// shared/tools/score_text.py reads:
//
//	go run ./text -peer go-trafilatura ../../../shared/corpora/articles/html > pred.jsonl
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/eventseer/eventseer/internal/bench"
)

func main() {
	name := flag.String("peer", "go-trafilatura", "whose text")
	flag.Parse()
	if err := writeLines(os.Stdout, *name, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "text:", err)
		os.Exit(1)
	}
}

// writeLines prints one line for each .html.gz file in dir.
func writeLines(w io.Writer, name, dir string) error {
	peer, err := bench.FindPeer(name)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.html.gz"))
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	lines := json.NewEncoder(out)
	for _, file := range files {
		text, err := mainText(peer, file)
		if err != nil {
			fmt.Fprintf(os.Stderr, "text: %s: %v\n", file, err) // the page counts as one without text
		}
		if err := lines.Encode(map[string]string{"url": file, "text": text}); err != nil {
			return err
		}
	}
	return out.Flush()
}

func mainText(peer bench.Peer, file string) (string, error) {
	page, err := bench.ReadPage(file)
	if err != nil {
		return "", err
	}
	return peer.Text(page)
}
