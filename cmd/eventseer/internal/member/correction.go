package member

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/store"
)

// A CorrectionSender sends the corrections made at this manager to the other managers of a cluster.
// Corrections are in the log of events, so a later manager gets all of them.
type CorrectionSender struct {
	From     string // name of the manager
	Store    *store.Store
	Announce func(ctx context.Context, id string, data []byte) error
	Warn     func(format string, args ...any)
}

const (
	// correctionReader is the reader under which the store records how far its corrections were
	// sent.
	correctionReader = eventseer.OtherLog + "corrections"
	maxSent          = 256 // corrections sent before the position is stored
	sendEvery        = time.Second
)

// Run sends corrections until ctx ends, then returns its error. Errors are reported and sending is
// tried again.
func (c CorrectionSender) Run(ctx context.Context) error {
	for {
		n, err := c.sendNext(ctx)
		if err != nil && ctx.Err() == nil {
			c.Warn("corrections could not be sent to the cluster: %v; they will be sent again", err)
		}
		if n < maxSent || err != nil {
			if err := crawler.WaitFor(ctx, sendEvery); err != nil {
				return err
			}
		}
	}
}

// sendNext sends the next corrections and returns how many it has processed. After kill -9 some are
// sent again, which changes nothing.
func (c CorrectionSender) sendNext(ctx context.Context) (n int, err error) {
	mark, err := c.Store.ReaderPosition(ctx, correctionReader)
	if err != nil {
		return 0, err
	}
	own, last, err := c.Store.OwnCorrections(ctx, mark, maxSent)
	if err != nil || last == mark {
		return 0, err
	}
	for _, one := range own {
		data, err := json.Marshal(message{From: c.From, Correction: &one})
		if err != nil {
			return 0, err
		}
		if len(data) > cluster.MaxMessage {
			if data, err = gzipBytes(data); err != nil {
				return 0, err
			}
		}
		if len(data) > cluster.MaxMessage {
			c.Warn("correction %s has %d bytes, more than the %d of a message, so it applies to this manager only", one.ID, len(data), cluster.MaxMessage)
			continue
		}
		id, err := logName(one)
		if err != nil {
			return 0, err
		}
		if err := c.Announce(ctx, id, data); err != nil {
			return 0, err
		}
	}
	return len(own), c.Store.SetReaderPosition(ctx, correctionReader, last)
}

// logName returns the name of a correction's message in the log, which stores the last message of a
// name. An undone correction has another name, and each of two undos its own, so none is lost.
func logName(c eventseer.Correction) (string, error) {
	name := "correction." + c.ID
	if c.Undone == nil {
		return name, nil
	}
	record, err := json.Marshal(c.Undone)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s.%x", name, sha256.Sum256(record))[:len(name)+13], nil
}
