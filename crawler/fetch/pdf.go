package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Limits of a PDF's conversion.
const (
	pdfTimeout  = 20 * time.Second
	maxPDFText  = 4 << 20 // bytes
	maxPDFPages = 100
	maxPDFCPU   = 20      // seconds of processor time
	maxPDFSpace = 1 << 20 // KiB of address space
)

// limitedRun is a shell script that runs a command under two limits. A system without one of them
// ignores it.
const limitedRun = `ulimit -t "$1" 2>/dev/null; ulimit -v "$2" 2>/dev/null; shift 2; exec "$@"`

// ErrNoPDFTool is returned by PDFText if poppler's pdftotext is missing.
var ErrNoPDFTool = errors.New("pdftotext not found: install poppler-utils to read PDFs")

// PDFText returns the text of a PDF, extracted by poppler's pdftotext in a separate process. Text
// is cut after 100 pages or 4 MiB; the process is limited to 20 s and 1 GiB of memory.
func PDFText(ctx context.Context, body []byte) (string, error) {
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		return "", ErrNoPDFTool
	}
	ctx, cancel := context.WithTimeout(ctx, pdfTimeout)
	defer cancel()
	out := &limitedBuffer{left: maxPDFText, full: cancel}
	complaint := &limitedBuffer{left: 200, full: func() {}}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", limitedRun, "sh", strconv.Itoa(maxPDFCPU), strconv.Itoa(maxPDFSpace),
		tool, "-q", "-enc", "UTF-8", "-l", strconv.Itoa(maxPDFPages), "-", "-")
	cmd.Env = []string{"LC_ALL=C"}
	cmd.Stdin = bytes.NewReader(body)
	cmd.Stdout, cmd.Stderr = out, complaint
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	text := strings.ToValidUTF8(string(out.kept), "\uFFFD")
	switch {
	case out.left == 0:
		return text, nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("pdftotext: %w", ctx.Err())
	case err != nil:
		if why := strings.TrimSpace(string(complaint.kept)); why != "" {
			return "", fmt.Errorf("pdftotext: %w: %s", err, why)
		}
		return "", fmt.Errorf("pdftotext cannot read the PDF: %w", err)
	}
	return text, nil
}

// A limitedBuffer keeps the first bytes written to it and calls full when it has no more room.
type limitedBuffer struct {
	kept []byte // not a bytes.Buffer: io.Copy would fill it through ReadFrom and bypass Write
	left int
	full func()
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.left -= n
	b.kept = append(b.kept, p[:n]...)
	if b.left == 0 {
		b.full()
	}
	return len(p), nil
}
