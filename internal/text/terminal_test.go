package text

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// However the bytes are cut into calls, what can be shown arrives and nothing else.
func TestTerminal(t *testing.T) {
	const given = "a\x1b[31mb\r\n\tÄ 日本\u202eend\f.\x00\x9b1m\u009b2m\x80 \U0001F989\n"
	const want = "a[31mb\n\tÄ 日本end .\uFFFD1m2m\uFFFD \U0001F989\n"
	for _, r := range []io.Reader{strings.NewReader(given), iotest.OneByteReader(strings.NewReader(given)), iotest.HalfReader(strings.NewReader(given))} {
		var out bytes.Buffer
		if _, err := io.Copy(NewTerminal(&out), r); err != nil || out.String() != want {
			t.Errorf("%q, %v; want %q", out.String(), err, want)
		}
	}
}
