package ui

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strings"
)

// An asset is a file that is served under a path holding its checksum.
type asset struct {
	contentType string
	body        []byte
}

var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// loadAssets returns the URL path of each asset by its name.
func (s *server) loadAssets() (map[string]string, error) {
	paths := map[string]string{}
	entries, err := files.ReadDir("static")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		name := entry.Name()
		contentType, known := contentTypes[path.Ext(name)]
		if !known {
			return nil, fmt.Errorf("static/%s is of no known type", name)
		}
		body, err := files.ReadFile("static/" + name)
		if err != nil {
			return nil, err
		}
		if path.Ext(name) == ".css" {
			body = squeeze(body)
		}
		sum := sha256.Sum256(body)
		paths[name] = "/static/" + hex.EncodeToString(sum[:8]) + "/" + name
		s.assets[paths[name]] = asset{contentType, body}
	}
	return paths, nil
}

// squeeze takes the white space out of a style sheet that only people need. Our sheets
// have no strings that hold what it takes out, and comments are lines of their own.
func squeeze(css []byte) []byte {
	lines := strings.Split(string(css), "\n")
	for i, line := range lines {
		if lines[i] = strings.TrimSpace(line); strings.HasPrefix(lines[i], "/*") {
			lines[i] = ""
		}
	}
	return []byte(strings.NewReplacer("; }", "}", " { ", "{", " {", "{", " }", "}", "; ", ";", ": ", ":", ", ", ",").Replace(strings.Join(lines, "")))
}

func (s *server) static(w http.ResponseWriter, r *http.Request) {
	a, ok := s.assets[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", a.contentType)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	write(w, 0, a.body)
}
