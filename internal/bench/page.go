package bench

import (
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/eventseer/eventseer/webgraph"
)

// ReadPage reads a page from a .html.gz file. Its URL names the file.
func ReadPage(file string) (*webgraph.Page, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(plain)
	if err != nil {
		return nil, err
	}
	return &webgraph.Page{URL: "https://page.example/" + filepath.Base(file), Body: body, Header: http.Header{}}, nil
}
