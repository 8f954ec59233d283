package warc

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"hash"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
)

// A Response is the HTTP response in a record. Its transfer encoding is removed, its content encoding is
// not.
type Response struct {
	Status int    // 100 to 999
	Reason string // text after the status code, possibly empty
	Header http.Header
	Body   []byte
	// Cut means that the body is incomplete: the archive says so, a chunk is broken, or it is shorter
	// than its Content-Length.
	Cut bool
}

// Response parses the block of a response record. It is as tolerant as browsers: it ignores invalid
// header lines, and decodes chunks only if the body has them, because many writers store bodies without
// them.
func (r *Record) Response() (*Response, error) {
	if r.Type() != "response" {
		return nil, fmt.Errorf("%w: type is %.40q", ErrNoPage, r.Type())
	}
	line, rest, _ := bytes.Cut(r.Block, []byte("\n"))
	res, err := parseStatus(strings.TrimRight(string(line[:min(len(line), MaxHeader)]), "\r"))
	if err != nil {
		return nil, err
	}
	var whole bool
	if res.Header, res.Body, whole = parseHeader(rest); !whole {
		res.Cut = true
	}
	if r.Header.Get("WARC-Truncated") != "" {
		res.Cut = true
	}
	if strings.Contains(strings.ToLower(res.Header.Get("Transfer-Encoding")), "chunked") {
		body, state := dechunk(res.Body)
		if state != notChunked {
			res.Body = body
			res.Header.Del("Transfer-Encoding")
		}
		res.Cut = res.Cut || state == brokenChunks
	} else if n, err := strconv.Atoi(res.Header.Get("Content-Length")); err == nil && mayHaveBody(res.Status) {
		res.Cut = res.Cut || len(res.Body) < n
	}
	return res, nil
}

func mayHaveBody(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

func parseStatus(line string) (*Response, error) {
	proto, rest, _ := strings.Cut(line, " ")
	code, reason, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	status, err := strconv.Atoi(code)
	if !strings.HasPrefix(proto, "HTTP/") || err != nil || status < 100 || status > 999 {
		return nil, fmt.Errorf("%w: it is not an HTTP response, it begins %.40q", ErrNoPage, line)
	}
	return &Response{Status: status, Reason: reason}, nil
}

// parseHeader parses header lines up to the empty one and returns the bytes that follow. If the header
// does not end within MaxHeader bytes, whole is false.
func parseHeader(block []byte) (h http.Header, body []byte, whole bool) {
	h = make(http.Header)
	last := ""
	for read := 0; read <= MaxHeader; {
		line, rest, found := bytes.Cut(block, []byte("\n"))
		if !found {
			return h, nil, false
		}
		read += len(line) + 1
		block = rest
		line = bytes.TrimRight(line, "\r")
		if len(line) == 0 {
			return h, block, true
		}
		if line[0] == ' ' || line[0] == '\t' {
			if values := h[last]; len(values) > 0 {
				values[len(values)-1] += " " + string(bytes.TrimSpace(line))
			}
			continue
		}
		name, value, ok := strings.Cut(string(line), ":")
		if !ok || !isToken(name) {
			continue
		}
		last = textproto.CanonicalMIMEHeaderKey(name)
		h[last] = append(h[last], strings.TrimSpace(value))
	}
	return h, nil, false
}

// isToken reports whether name is a valid name of a header field (RFC 9110 §5.6.2).
func isToken(name string) bool {
	for i := range len(name) {
		c := name[i]
		alnum := '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !alnum && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return name != ""
}

// What dechunk found.
type chunking int

const (
	notChunked   chunking = iota // the body does not begin with a chunk
	brokenChunks                 // the body begins with chunks but ends in an invalid one
	wholeChunks
)

// dechunk removes the chunked transfer encoding (RFC 9112 §7.1). For a broken body it returns the content
// before the break.
func dechunk(body []byte) ([]byte, chunking) {
	out := []byte{}
	for first := true; ; first = false {
		line, rest, found := bytes.Cut(body, []byte("\n"))
		size, ok := chunkSize(line)
		if !found || !ok {
			if first {
				return nil, notChunked
			}
			return out, brokenChunks
		}
		if size == 0 {
			return out, wholeChunks
		}
		if uint64(len(rest)) < size {
			return append(out, rest...), brokenChunks
		}
		out = append(out, rest[:size]...)
		body = bytes.TrimPrefix(bytes.TrimPrefix(rest[size:], []byte("\r")), []byte("\n"))
	}
}

func chunkSize(line []byte) (uint64, bool) {
	digits, _, _ := bytes.Cut(line, []byte(";"))
	size, err := strconv.ParseUint(string(bytes.TrimSpace(digits)), 16, 63)
	return size, err == nil
}

// Verify compares the digests in the record's header with its content and returns an error if one
// differs. A payload is the body of an HTTP message; both its chunked and its plain form are accepted,
// because writers differ. The payload digest of a revisit is not checked, because it has no body. A
// record without digests is valid.
func (r *Record) Verify() error {
	if want := r.Header.Get("WARC-Block-Digest"); want != "" {
		if err := verifyDigest(want, r.Block); err != nil {
			return fmt.Errorf("WARC-Block-Digest: %w", err)
		}
	}
	want := r.Header.Get("WARC-Payload-Digest")
	if want == "" || r.Type() == "revisit" { // the payload is in another record
		return nil
	}
	err := verifyDigest(want, payloadOf(r.Block, r.Type()))
	if err != nil && r.Type() == "response" {
		if res, parseErr := r.Response(); parseErr == nil {
			err = verifyDigest(want, res.Body)
		}
	}
	if err != nil {
		return fmt.Errorf("WARC-Payload-Digest: %w", err)
	}
	return nil
}

// payloadOf returns the bytes after the header of an HTTP message, which ends at the first empty line.
func payloadOf(block []byte, kind string) []byte {
	if kind != "response" && kind != "request" {
		return block
	}
	end := bytes.Index(block, []byte("\n\r\n"))
	if i := bytes.Index(block[:max(end, 0)], []byte("\n\n")); i >= 0 {
		return block[i+2:]
	}
	if end >= 0 {
		return block[end+3:]
	}
	_, body, _ := bytes.Cut(block, []byte("\n\n"))
	return body
}

var hashes = map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New, "md5": md5.New}

// verifyDigest compares content with a digest such as sha1:… in base 32 or base 16.
func verifyDigest(want string, content []byte) error {
	algorithm, value, _ := strings.Cut(want, ":")
	newHash, known := hashes[strings.ToLower(strings.ReplaceAll(algorithm, "-", ""))]
	if !known {
		return fmt.Errorf("unknown algorithm %.40q", algorithm)
	}
	h := newHash()
	_, _ = h.Write(content) // a hash takes all
	sum := h.Sum(nil)
	value = strings.TrimRight(value, "=")
	if strings.EqualFold(value, hex.EncodeToString(sum)) || strings.EqualFold(value, base32Of(sum)) {
		return nil
	}
	return fmt.Errorf("the digest in the header is %.100s, but that of the content is %s:%s", want, algorithm, base32Of(sum))
}

func base32Of(sum []byte) string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum)
}

// digestOf returns the digest of content as this package writes it.
func digestOf(content []byte) string {
	sum := sha1.Sum(content)
	return "sha1:" + base32Of(sum[:])
}
