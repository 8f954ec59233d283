// Package external runs an external program as the strategy of a crawl. The program receives each
// fetched page as one line of JSON and returns the scores of its links. doc/strategy.md describes
// the protocol.
package external

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// Prefix begins the name of a strategy that is a program: "exec:PROGRAM".
const Prefix = "exec:"

// Version is the version of the protocol.
const Version = 1

// The limits on a program.
const (
	DefaultPatience = 10 * time.Second // for each answer
	maxAnswer       = 16 << 20         // bytes of an answer
	maxBack         = 100              // backlinks it may request for a page
	maxText         = 1 << 20          // bytes of a page's text that it receives
	maxGiven        = 1 << 22          // URLs stored as sent to it
	maxErrors       = 2000             // bytes stored of its output to stderr
)

// NameOf returns the folder name of a strategy: for a program it is "exec-" and the name of its
// file.
func NameOf(spec string) string {
	if path, ok := strings.CutPrefix(spec, Prefix); ok {
		return "exec-" + filepath.Base(path)
	}
	return spec
}

// OpenStrategy returns a strategy of package strategy, or for "exec:PROGRAM" one that runs the program, and a
// function that ends the program.
func OpenStrategy(name string, parts strategy.Parts) (s crawler.Strategy, end func() error, err error) {
	path, ok := strings.CutPrefix(name, Prefix)
	if !ok {
		s, err = strategy.New(name, parts)
		return s, func() error { return nil }, err
	}
	p, err := New(path, parts)
	if err != nil {
		return nil, nil, err
	}
	return p, p.Close, nil
}

// A Program is a strategy that runs a program. It starts the program at the first page. Calls are
// serialized; after an error every call returns it. Close ends the program.
type Program struct {
	// Patience is the time limit for each answer; 0 means DefaultPatience.
	Patience time.Duration

	path  string
	parts strategy.Parts

	mu      sync.Mutex // guards below
	broken  error
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan responseLine
	said    *tailBuffer
	text    bool // the program requests the text of pages
	given   map[uint64]bool
	n       int // messages sent
}

var (
	_ crawler.Rememberer = (*Program)(nil)
	_ crawler.Ranker     = (*Program)(nil)
	_ io.Closer          = (*Program)(nil)
)

// New returns the strategy of the program at a path. Of parts it needs the judge; the program
// receives the results of the link model, if there is one, and the seed.
func New(path string, parts strategy.Parts) (*Program, error) {
	if parts.Judge == nil {
		return nil, errors.New("a strategy needs a classifier that judges pages")
	}
	if parts.Finds == nil {
		parts.Finds = strategy.NewFinds()
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return nil, fmt.Errorf("strategy %s%s: %w: name an executable file", Prefix, path, err)
	}
	return &Program{path: found, parts: parts, given: map[uint64]bool{}}, nil
}

// A requestMessage is a line to the program.
type requestMessage struct {
	Type    string `json:"type"` // begin, visit, backlinks
	N       int    `json:"n"`    // counts requests from 0, the "begin" request
	Version int    `json:"version,omitempty"`
	Seed    uint64 `json:"seed,omitempty"`
	Values  string `json:"values,omitempty"` // of begin: the values of finds, see crawler.ParseValues

	URL       string        `json:"url,omitempty"`
	Parent    string        `json:"parent,omitempty"`
	How       string        `json:"how,omitempty"`
	Depth     int           `json:"depth,omitempty"`
	Score     float64       `json:"score,omitempty"`
	Status    int           `json:"status,omitempty"`
	PageType  string        `json:"page_type,omitempty"`
	Relevance float64       `json:"relevance,omitempty"`
	Topic     float64       `json:"topic,omitempty"`
	Target    bool          `json:"target,omitempty"`
	Value     float64       `json:"value,omitempty"`
	Title     string        `json:"title,omitempty"`
	Text      string        `json:"text,omitempty"`
	Links     []linkMessage `json:"links,omitempty"`
}

// A linkMessage is a link of a page, or a backlink, of which only URL and anchor are known.
type linkMessage struct {
	URL    string   `json:"url"`
	Anchor string   `json:"anchor,omitempty"`
	Model  *float64 `json:"model,omitempty"` // the link model's probability of a call
}

// A responseMessage is a line from the program.
type responseMessage struct {
	N       int      `json:"n"`       // that of the request
	Version int      `json:"version"` // of begin
	Want    []string `json:"want"`    // of begin: "text"
	// Scores are the scores of the request's links, in order; null for one not to follow. Links
	// after the last are not followed.
	Scores  []*float64     `json:"scores"`
	Back    int            `json:"back"` // backlinks to request
	Rescore []rescoredLink `json:"rescore"`
	Drop    []string       `json:"drop"`
}

type rescoredLink struct {
	URL   string  `json:"url"`
	Score float64 `json:"score"`
}

type responseLine struct {
	text []byte
	err  error
}

// Visit sends a page to the program and applies its answer.
func (p *Program) Visit(ctx context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, call := p.parts.Judged(a)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.startProgram(ctx); err != nil {
		return crawler.Verdict{}, err
	}
	r, links := p.requestOf(a, v)
	r.Value = p.parts.Value(a, &v, call)
	got, err := p.exchangeMessages(ctx, &r, &v.Notes)
	if err != nil {
		return crawler.Verdict{}, err
	}
	if v.Forward, err = p.scoredLinks(links, got.Scores); err != nil {
		return crawler.Verdict{}, p.endWithError(err)
	}
	p.parts.WeightByTopic(&v)
	if err := p.applyRescored(got, &v); err != nil {
		return crawler.Verdict{}, p.endWithError(err)
	}
	if v.Back > 0 {
		of := v
		v.Backward = func(links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) { return p.Rank(a.URL(), of, links) }
	}
	return v, nil
}

// requestOf returns the request for a page, and its links as candidates.
func (p *Program) requestOf(a crawler.Arrival, v crawler.Verdict) (requestMessage, []crawler.Candidate) {
	r := requestMessage{
		Type: "visit", URL: a.URL(), Parent: a.Lease.Parent, How: string(a.Lease.How), Depth: a.Lease.Depth, Score: crawler.ClampScore(a.Lease.Score), Status: a.Outcome.Status,
		PageType: v.PageType, Relevance: v.Relevance, Topic: v.TopicScore, Target: v.Target,
	}
	if a.Tree == nil {
		return r, nil
	}
	r.Title = a.Tree.Title()
	if p.text {
		r.Text = text.CutBytes(a.Tree.Text(), maxText)
	}
	var model []float64
	if p.parts.Links != nil {
		model = p.parts.Links.LinkProbabilities(a.Tree)
	}
	var links []crawler.Candidate
	for i, l := range a.Tree.Links() {
		said := linkMessage{URL: l.Target, Anchor: l.Anchor}
		if i < len(model) && !math.IsNaN(model[i]) && !math.IsInf(model[i], 0) {
			said.Model = &model[i]
		}
		r.Links = append(r.Links, said)
		links = append(links, crawler.Candidate{URL: l.Target, Parent: l.Source, Anchor: l.Anchor})
	}
	return r, links
}

// scoredLinks returns the links to which an answer gives a score.
func (p *Program) scoredLinks(links []crawler.Candidate, scores []*float64) ([]crawler.Candidate, error) {
	if len(scores) > len(links) {
		return nil, fmt.Errorf("there are %d scores for %d links", len(scores), len(links))
	}
	var kept []crawler.Candidate
	for i, score := range scores {
		if score == nil {
			continue
		}
		c := links[i]
		c.Score, c.Why = crawler.ClampScore(*score), "the program's score"
		kept = append(kept, c)
		if len(p.given) < maxGiven {
			p.given[xxh3.HashString(c.URL)] = true
		}
	}
	return kept, nil
}

// applyRescored applies an answer's scores of other links.
func (p *Program) applyRescored(got responseMessage, v *crawler.Verdict) error {
	if got.Back < 0 || got.Back > maxBack {
		return fmt.Errorf("back is %d, must be 0 to %d", got.Back, maxBack)
	}
	v.Back = got.Back
	for _, r := range got.Rescore {
		if err := p.checkKnownURL(r.URL); err != nil {
			return err
		}
		v.Rescore = append(v.Rescore, crawler.Candidate{URL: r.URL, Score: crawler.ClampScore(r.Score), Why: "the program's new score"})
	}
	for _, url := range got.Drop {
		if err := p.checkKnownURL(url); err != nil {
			return err
		}
	}
	v.Drop = got.Drop
	return nil
}

// checkKnownURL returns an error for a URL that was never sent to the program.
func (p *Program) checkKnownURL(url string) error {
	if !p.given[xxh3.HashString(url)] && len(p.given) < maxGiven {
		return fmt.Errorf("the program names %.200q, a link that was not sent to it", url)
	}
	return nil
}

// Rank requests the scores of backlinks from the program. After an error it returns none, and the next call
// of Visit returns the error.
func (p *Program) Rank(url string, _ crawler.Verdict, links []webgraph.Link) (kept []crawler.Candidate, notes []crawler.Note) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := requestMessage{Type: "backlinks", URL: url}
	var sources []crawler.Candidate
	for _, l := range links {
		r.Links = append(r.Links, linkMessage{URL: l.Source, Anchor: l.Anchor})
		sources = append(sources, crawler.Candidate{URL: l.Source, Anchor: l.Anchor})
	}
	ctx := context.Background() // the patience bounds it
	if p.startProgram(ctx) != nil {
		return nil, nil
	}
	got, err := p.exchangeMessages(ctx, &r, &notes)
	if err != nil {
		return nil, nil
	}
	if kept, err = p.scoredLinks(sources, got.Scores); err != nil {
		_ = p.endWithError(err)
		return nil, nil
	}
	return kept, notes
}

// RestoreNotes repeats to a newly started program all messages of an earlier part of the crawl, in order,
// to restore its state.
func (p *Program) RestoreNotes(notes []crawler.Note) error {
	if err := p.parts.RestoreNotes(notes); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range notes { // in order of key
		if !strings.HasPrefix(n.Key, notePrefix) {
			continue
		}
		var r requestMessage
		if err := json.Unmarshal(n.Value, &r); err != nil {
			return fmt.Errorf("recall %s: %w", n.Key, err)
		}
		if err := p.startProgram(context.Background()); err != nil {
			return err
		}
		if _, err := p.exchangeMessages(context.Background(), &r, nil); err != nil {
			return err
		}
		for _, l := range r.Links {
			p.given[xxh3.HashString(l.URL)] = true
		}
	}
	return nil
}

// notePrefix begins the keys of the requests stored for Recall.
const notePrefix = "request/"

// exchangeMessages sends a request and waits for its answer. It adds the request to notes if they are not nil.
func (p *Program) exchangeMessages(ctx context.Context, r *requestMessage, notes *[]crawler.Note) (got responseMessage, err error) {
	r.N = p.n
	p.n++
	line, err := json.Marshal(r)
	if err != nil {
		return got, p.endWithError(err)
	}
	if notes != nil {
		*notes = append(*notes, crawler.Note{Key: fmt.Sprintf("%s%012d", notePrefix, r.N), Value: line})
	}
	sent := make(chan error, 1)
	in := p.in
	go func() { // a program that does not read blocks the pipe
		_, err := in.Write(append(line, '\n'))
		sent <- err
	}()
	patience := time.NewTimer(p.responseTimeout())
	defer patience.Stop()
	for waiting := sent; ; {
		select {
		case <-ctx.Done():
			return got, p.endWithError(ctx.Err())
		case <-patience.C:
			return got, p.endWithError(fmt.Errorf("the program did not respond to %s within %s", strings.TrimSpace(r.Type+" "+r.URL), p.responseTimeout()))
		case err := <-waiting:
			if err != nil {
				return got, p.endWithError(fmt.Errorf("the program does not read its input: %w", err))
			}
			waiting = nil
		case a, ok := <-p.answers:
			switch {
			case !ok, errors.Is(a.err, io.EOF):
				return got, p.endWithError(fmt.Errorf("the program ended before its response to %s %s", r.Type, r.URL))
			case a.err != nil:
				return got, p.endWithError(a.err)
			}
			if err := json.Unmarshal(a.text, &got); err != nil {
				return got, p.endWithError(fmt.Errorf("its response to %s %s is not a JSON object of the protocol: %w: %.100q", r.Type, r.URL, err, a.text))
			}
			if got.N != r.N {
				return got, p.endWithError(fmt.Errorf("the program responds to request %d instead of %d", got.N, r.N))
			}
			return got, nil
		}
	}
}

func (p *Program) responseTimeout() time.Duration {
	if p.Patience > 0 {
		return p.Patience
	}
	return DefaultPatience
}

// startProgram starts the program, unless it runs.
func (p *Program) startProgram(ctx context.Context) error {
	if p.broken != nil || p.cmd != nil {
		return p.broken
	}
	p.cmd, p.said = exec.Command(p.path), &tailBuffer{}
	p.cmd.Stderr = p.said
	p.cmd.WaitDelay = time.Second
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return p.endWithError(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return p.endWithError(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.cmd = nil
		return p.endWithError(err)
	}
	p.in, p.answers = in, make(chan responseLine)
	go readAnswers(out, p.answers)
	got, err := p.exchangeMessages(ctx, &requestMessage{Type: "begin", Version: Version, Seed: p.parts.Seed, Values: p.parts.Values.OrDefault().String()}, nil)
	if err != nil {
		return err
	}
	if got.Version != Version {
		return p.endWithError(fmt.Errorf("the program uses version %d of the protocol, but EventSeer uses version %d", got.Version, Version))
	}
	for _, w := range got.Want {
		if w != "text" {
			return p.endWithError(fmt.Errorf("the program asks for %q; only text is available", w))
		}
		p.text = true
	}
	return nil
}

// readAnswers sends lines to the channel until the program ends or writes a line that is too long,
// and closes it. It reads no further while no receiver waits, so a program that writes without end
// is blocked by its own pipe.
func readAnswers(out io.Reader, answers chan<- responseLine) {
	defer close(answers)
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		var line []byte
		for {
			part, err := lines.ReadSlice('\n')
			line = append(line, part...)
			if len(line) > maxAnswer {
				answers <- responseLine{err: fmt.Errorf("its response is longer than %d bytes", maxAnswer)}
				return
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != nil {
				if len(bytes.TrimSpace(line)) > 0 {
					err = fmt.Errorf("the program ended in the middle of a line: %.100q", line)
				}
				answers <- responseLine{err: err}
				return
			}
			break
		}
		answers <- responseLine{text: line}
	}
}

// endWithError ends the program and stores the error for later calls.
func (p *Program) endWithError(err error) error {
	if p.broken == nil {
		p.killAndWait()
		if said := p.said.String(); said != "" {
			err = fmt.Errorf("%w; it wrote to stderr: %s", err, said)
		}
		p.broken = goneError{fmt.Errorf("strategy program %s: %w", p.path, err)}
	}
	return p.broken
}

// A goneError is the error that ended a program; it is a crawler.ErrStrategyGone.
type goneError struct{ error }

// Unwrap is of errors.Is.
func (e goneError) Unwrap() []error { return []error{crawler.ErrStrategyGone, e.error} }

// killAndWait kills the program and waits until it has exited.
func (p *Program) killAndWait() {
	if p.cmd == nil {
		return
	}
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	go func(answers <-chan responseLine) { // lets readAnswers end
		for range answers {
		}
	}(p.answers)
	_ = p.cmd.Wait() // killed: Wait reports it as an error
	p.cmd = nil
}

// Close ends the program. A call after it returns an error.
func (p *Program) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken == nil {
		p.killAndWait()
		p.broken = errors.New("the strategy is closed")
	}
	return nil
}

// A tailBuffer stores the last bytes written to it.
type tailBuffer struct {
	mu   sync.Mutex // guards text: exec writes from another goroutine
	text []byte
}

// Write is of io.Writer.
func (t *tailBuffer) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-maxErrors):]
	return len(b), nil
}

// String returns the stored end of the output in one line.
func (t *tailBuffer) String() string {
	if t == nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(t.text), "\uFFFD")), " ")
}
