package worker

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"
)

const (
	maxFlying = 32   // messages published at once
	maxRound  = 4096 // minimum number of links read from the outbox at a time
	perPart   = 32   // links per partition read at a time, if that is more: messages should be large
	maxLinks  = 512  // links in one message, unless MaxMessage is reached first
	// Sending waits for more links as long as new ones arrive within linger, and maxLinkDelay at most.
	// Small messages cost the nodes as much as large ones. The more partitions the links of a crawler go
	// to, the longer it takes to fill a message for each.
	linger        = 100 * time.Millisecond
	leastLinger   = 2 * time.Second
	lingerPerPart = 32 * time.Millisecond
)

// maxLinkDelay returns how long links wait for more, for a number of partitions.
func maxLinkDelay(parts int) time.Duration {
	return max(leastLinger, time.Duration(parts)*lingerPerPart)
}

// sendOutbox publishes the links of the outbox until ctx ends. Links stay in the outbox until the bus has
// accepted them.
func (w *Worker) sendOutbox(ctx context.Context) error {
	after := uint64(0)
	failed := false
	for {
		committed := w.o.Local.Changed()
		if err := waitForLinks(ctx, w.o.Local.OutboxLen, w.conf.Partitions); err != nil {
			return err
		}
		out, err := w.o.Local.Outbox(ctx, after, max(maxRound, perPart*w.conf.Partitions))
		if err != nil {
			return err
		}
		if len(out) > 0 {
			after = out[len(out)-1].Number
			err, broken := w.sendRound(ctx, out)
			if broken != nil {
				return broken
			}
			if err != nil && !failed {
				w.logError("publish links, which stay in the outbox", err)
			}
			failed = failed || err != nil
			continue
		}
		again := after > 0
		after = 0
		switch {
		case failed:
			failed = false
			err = crawler.WaitFor(ctx, heartbeatInterval(w.conf.Lease))
		case again:
			err = ctx.Err()
		default:
			err = waitForChange(ctx, committed, nil)
		}
		if err != nil {
			return err
		}
	}
}

// waitForLinks waits for more links in the outbox. The function length returns their number; parts is the
// number of partitions they go to.
func waitForLinks(ctx context.Context, length func() int, parts int) error {
	n := length()
	for waited := time.Duration(0); n > 0 && n < perPart*parts && waited < maxLinkDelay(parts); waited += linger {
		if err := crawler.WaitFor(ctx, linger); err != nil {
			return err
		}
		before := n
		if n = length(); n <= before {
			return nil
		}
	}
	return nil
}

// sendRound sends links and removes those that were accepted from the outbox. The first error is from the
// bus, the second from the frontier.
func (w *Worker) sendRound(ctx context.Context, out []frontier.Outgoing) (unsent, broken error) {
	w.mu.Lock()
	own := w.own
	w.mu.Unlock()
	var ours []crawler.Candidate
	var gone []uint64
	parts := make([][]frontier.Outgoing, w.conf.Partitions)
	for _, o := range out {
		n := cluster.PartitionOf(webgraph.HostOf(o.Candidate.URL), w.conf.Partitions)
		if own.has(n) {
			ours = append(ours, o.Candidate)
			gone = append(gone, o.Number)
			continue
		}
		parts[n] = append(parts[n], o)
	}
	if len(ours) > 0 {
		w.recordNewLinks()
		defer w.recordNewLinks()
		if err := w.o.Local.Push(ctx, ours); err != nil {
			return nil, err
		}
	}
	sent, unsent := w.publishLinks(ctx, parts)
	w.sent.Add(uint64(len(sent)))
	if gone = append(gone, sent...); len(gone) > 0 {
		broken = w.o.Local.RemoveSent(ctx, gone...)
	}
	return unsent, broken
}

// publishLinks publishes links by partition and returns the numbers of those that the bus has accepted.
func (w *Worker) publishLinks(ctx context.Context, parts [][]frontier.Outgoing) (sent []uint64, err error) {
	var mu sync.Mutex // guards sent
	g := errgroup.Group{}
	g.SetLimit(maxFlying)
	for n, links := range parts {
		for from := 0; from < len(links); from += maxLinks {
			some := links[from:min(from+maxLinks, len(links))]
			g.Go(func() error {
				done, err := w.publishPartLinks(ctx, n, some)
				mu.Lock()
				sent = append(sent, done...)
				mu.Unlock()
				return err
			})
		}
	}
	err = g.Wait()
	return sent, err
}

// publishPartLinks publishes links of a partition as one message, or as several if one would exceed
// MaxMessage. The message ID depends on the content, so that the bus drops a repeated message.
func (w *Worker) publishPartLinks(ctx context.Context, n int, links []frontier.Outgoing) (sent []uint64, err error) {
	cs := make([]crawler.Candidate, len(links))
	for i, l := range links {
		cs[i] = l.Candidate
		sent = append(sent, l.Number)
	}
	data, err := cluster.PackLinks(cs)
	if err != nil {
		return nil, err
	}
	if len(data) > cluster.MaxMessage {
		if len(links) == 1 {
			w.logError("publish links", errors.New(cs[0].URL+" is longer than a message may be and is left out"))
			return sent, nil
		}
		first, err := w.publishPartLinks(ctx, n, links[:len(links)/2])
		rest, err2 := w.publishPartLinks(ctx, n, links[len(links)/2:])
		return append(first, rest...), errors.Join(err, err2)
	}
	id := w.disk + "." + strconv.FormatUint(links[0].Number, 36) + "." + strconv.FormatUint(xxh3.Hash(data), 36)
	if err := w.o.Bus.Publish(ctx, n, id, data); err != nil {
		return nil, err
	}
	return sent, nil
}
