package datasets

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/internal/lines"
)

// maxPageBlocks is the largest number of blocks of a page in a file of block roles.
const maxPageBlocks = 20_000

// A PageRoles is one line of a file of block roles: the role of each block of a page.
type PageRoles struct {
	URL string
	// Group names pages that a split must keep together, such as those of a site or its owner.
	Group string
	// Check means that the page is used only for checking, never for learning.
	Check bool
	// Digest is BlockDigest of the texts of the page's blocks. It ensures that the labels belong to the
	// blocks that were read.
	Digest string
	// Roles has one name per block.
	Roles []string
	// Line is the line number in the file, from 1.
	Line int
}

// BlockDigest returns the first 8 hexadecimal digits of the SHA-256 of texts, each
// followed by a newline.
func BlockDigest(texts []string) string {
	h := sha256.New()
	for _, s := range texts {
		_, _ = io.WriteString(h, s+"\n") // a hash does not fail
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// ReadPageRoles reads a tab-separated file of block roles, with the header line
//
//	url group part digest roles
//
// where part is train or check. The roles are ROLE:FROM-TO or ROLE:INDEX, separated by spaces; they cover
// every block once, in order. Errors contain name as the name of the file. Lines are at most 64 KiB long.
func ReadPageRoles(r io.Reader, name string) ([]PageRoles, error) {
	in := lines.NewReader(r, maxLineBytes)
	header, err := in.Next()
	if err != nil || string(header) != pageRolesHeader {
		return nil, fmt.Errorf("%s:1: the header must be %q", name, pageRolesHeader)
	}
	var all []PageRoles
	for len(all) < maxLabels {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, in.N, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		p, err := parsePageRoles(string(line))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, in.N, err)
		}
		p.Line = in.N
		all = append(all, p)
	}
	return all, nil
}

const pageRolesHeader = "url\tgroup\tpart\tdigest\troles"

func parsePageRoles(line string) (PageRoles, error) {
	f := strings.Split(line, "\t")
	if len(f) != 5 {
		return PageRoles{}, fmt.Errorf("%d columns, want 5", len(f))
	}
	if f[2] != "train" && f[2] != "check" {
		return PageRoles{}, fmt.Errorf("part is %q, must be train or check", f[2])
	}
	p := PageRoles{URL: f[0], Group: f[1], Check: f[2] == "check", Digest: f[3]}
	for _, word := range strings.Fields(f[4]) {
		role, at, _ := strings.Cut(word, ":")
		from, to, isRange := strings.Cut(at, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || first != len(p.Roles) || last < first || last >= maxPageBlocks {
			return PageRoles{}, fmt.Errorf("%q does not begin at block %d, where the previous role ends", word, len(p.Roles))
		}
		for range last - first + 1 {
			p.Roles = append(p.Roles, role)
		}
	}
	return p, nil
}

// WritePageRoles writes a file of block roles.
func WritePageRoles(w io.Writer, all []PageRoles) error {
	var b strings.Builder
	b.WriteString(pageRolesHeader + "\n")
	for _, p := range all {
		part := "train"
		if p.Check {
			part = "check"
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t", p.URL, p.Group, part, p.Digest)
		for i := 0; i < len(p.Roles); {
			end := i + 1
			for end < len(p.Roles) && p.Roles[end] == p.Roles[i] {
				end++
			}
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%s:%d", p.Roles[i], i)
			if end-1 > i {
				fmt.Fprintf(&b, "-%d", end-1)
			}
			i = end
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
