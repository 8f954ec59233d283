package warc

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"strings"
)

// Verify compares the digests in the record's header with its content. A payload
// is the body of an HTTP message; both its chunked and its plain form are
// accepted, as writers differ; a revisit's is not there to be compared. A record
// without digests is right.
func (r *Record) Verify() error {
	if want := r.Header.Get("WARC-Block-Digest"); want != "" {
		if err := verify(want, r.Block); err != nil {
			return fmt.Errorf("WARC-Block-Digest: %w", err)
		}
	}
	want := r.Header.Get("WARC-Payload-Digest")
	if want == "" || r.Type() == "revisit" { // the payload is another record's
		return nil
	}
	err := verify(want, payload(r.Block, r.Type()))
	if err != nil && r.Type() == "response" {
		if res, parseErr := r.Response(); parseErr == nil {
			err = verify(want, res.Body)
		}
	}
	if err != nil {
		return fmt.Errorf("WARC-Payload-Digest: %w", err)
	}
	return nil
}

// payload returns what follows the header of an HTTP message, which ends at the
// first empty line.
func payload(block []byte, kind string) []byte {
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

// verify compares content with a digest such as sha1:… in base 32 or 16.
func verify(want string, content []byte) error {
	algorithm, value, _ := strings.Cut(want, ":")
	var sum []byte
	switch strings.ToLower(strings.ReplaceAll(algorithm, "-", "")) {
	case "sha1":
		s := sha1.Sum(content)
		sum = s[:]
	case "sha256":
		s := sha256.Sum256(content)
		sum = s[:]
	case "md5":
		s := md5.Sum(content)
		sum = s[:]
	default:
		return fmt.Errorf("unknown algorithm %.40q", algorithm)
	}
	value = strings.TrimRight(value, "=")
	if strings.EqualFold(value, hex.EncodeToString(sum)) || strings.EqualFold(value, base32Of(sum)) {
		return nil
	}
	return fmt.Errorf("header says %.100s, content has %s:%s", want, algorithm, base32Of(sum))
}

func base32Of(sum []byte) string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum)
}

// digestOf is the digest this package writes.
func digestOf(content []byte) string {
	sum := sha1.Sum(content)
	return "sha1:" + base32Of(sum[:])
}
