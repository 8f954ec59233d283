package mailbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"eventseer/webgraph"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

// Limits on what is asked of a server at once, and held in memory.
const (
	maxBatch      = 100     // messages
	maxBatchBytes = 8 << 20 // of them, unless the first is larger
	maxListed     = 5_000_000
)

// A Mark is how far a folder was read: to the message UID, as long as the numbers
// of the folder are those of Validity (its UIDVALIDITY). The zero Mark is the
// beginning.
type Mark struct {
	Validity uint32 `json:"uidvalidity"`
	UID      uint32 `json:"uid"`
}

// Fetched is a message of a folder.
type Fetched struct {
	// Pages are those of the message; none of one that is broken or has gone.
	Pages []*webgraph.Page
	// Mark stands after the message. Whoever keeps it when all that came before it
	// is safe is given each message once more at most.
	Mark Mark
	// Raw is the message as it was sent, up to MaxMessage bytes.
	Raw []byte
}

// Fetch yields the messages of a folder after a mark, in the order of their UIDs;
// all of them if the folder has been numbered anew since. Of a message larger than
// MaxMessage the beginning is asked for. A broken message is yielded as an
// ErrMessage, and fetching goes on; any other error ends it.
func (o IMAP) Fetch(ctx context.Context, folder string, after Mark) iter.Seq2[Fetched, error] {
	return func(yield func(Fetched, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // and with it the connection
		client, err := o.open(ctx)
		if err != nil {
			yield(Fetched{Mark: after}, err)
			return
		}
		f := fetching{IMAP: o, client: client, folder: folder, mark: after}
		switch err := f.run(yield); {
		case errors.Is(err, errStopped):
		case err != nil:
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			yield(Fetched{Mark: f.mark}, fmt.Errorf("%s: folder %s: %w", o.Server, folder, err))
		default:
			_ = client.Logout().Wait() // all is read
		}
	}
}

// errStopped says that the caller wants no more.
var errStopped = errors.New("stopped")

// A fetching is the reading of one folder.
type fetching struct {
	IMAP
	client *imapclient.Client
	folder string
	mark   Mark
}

// A sized message is one that the server has, and its size in bytes.
type sized struct {
	uid  uint32
	size int64
}

// A raw message is one that the server sent.
type rawMessage struct {
	uid  uint32
	text []byte
}

func (f *fetching) run(yield func(Fetched, error) bool) error {
	list, err := f.list()
	if err != nil {
		return err
	}
	for len(list) > 0 {
		batch := firstBatch(list)
		list = list[len(batch):]
		messages, err := f.bring(batch)
		if err != nil {
			return err
		}
		for _, m := range messages {
			f.mark.UID = m.uid
			pages, err := f.Reader.Message(bytes.NewReader(m.text))
			if err != nil {
				err = fmt.Errorf("%s: folder %s: message %d: %w; the other messages are read", f.Server, f.folder, m.uid, err)
			}
			if !yield(Fetched{pages, f.mark, m.text}, err) {
				return errStopped
			}
		}
		if last := batch[len(batch)-1].uid; f.mark.UID < last { // deleted meanwhile
			f.mark.UID = last
			if !yield(Fetched{Mark: f.mark}, nil) {
				return errStopped
			}
		}
	}
	return nil
}

// hurry closes the connection if a command takes too long. What is returned ends the
// time of the command, and says so if it was too long.
func (f *fetching) hurry() func(error) error {
	slow := time.AfterFunc(cmp.Or(f.patience, answerTimeout), func() { _ = f.client.Close() })
	return func(err error) error {
		if !slow.Stop() {
			return ErrSlow
		}
		return err
	}
}

// list opens the folder and returns its messages after the mark, by UID.
func (f *fetching) list() (_ []sized, err error) {
	inTime := f.hurry()
	defer func() { err = inTime(err) }()
	box, err := f.client.Select(f.folder, &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return nil, err
	}
	if box.UIDValidity == 0 || box.UIDValidity != f.mark.Validity {
		f.mark = Mark{Validity: box.UIDValidity}
	}
	next := imap.UID(f.mark.UID) + 1
	if box.NumMessages == 0 || next == 0 || box.UIDNext != 0 && next >= box.UIDNext {
		return nil, nil
	}
	set := imap.UIDSet{}
	set.AddRange(next, 0) // to the last, which is always part of the answer
	cmd := f.client.Fetch(set, &imap.FetchOptions{UID: true, RFC822Size: true})
	var list []sized
	for m := cmd.Next(); m != nil; m = cmd.Next() {
		var s sized
		for item := m.Next(); item != nil; item = m.Next() {
			switch item := item.(type) {
			case imapclient.FetchItemDataUID:
				s.uid = uint32(item.UID)
			case imapclient.FetchItemDataRFC822Size:
				s.size = item.Size
			}
		}
		if s.uid < uint32(next) {
			continue
		}
		if list = append(list, s); len(list) > maxListed {
			return nil, fmt.Errorf("it lists more than %d messages", maxListed)
		}
	}
	slices.SortFunc(list, func(a, b sized) int { return cmp.Compare(a.uid, b.uid) })
	return slices.CompactFunc(list, func(a, b sized) bool { return a.uid == b.uid }), cmd.Close()
}

// firstBatch is the beginning of the list that is asked for at once.
func firstBatch(list []sized) []sized {
	total := int64(0)
	for i, s := range list {
		if total += min(s.size, MaxMessage); i == maxBatch || i > 0 && total > maxBatchBytes {
			return list[:i]
		}
	}
	return list
}

// bring returns the messages of a batch that are still there, by UID. What the server
// sends besides, or twice, is left out.
func (f *fetching) bring(batch []sized) (_ []rawMessage, err error) {
	inTime := f.hurry()
	defer func() { err = inTime(err) }()
	set := imap.UIDSet{}
	wanted := map[uint32]bool{}
	for _, s := range batch {
		set.AddNum(imap.UID(s.uid))
		wanted[s.uid] = true
	}
	body := &imap.FetchItemBodySection{Peek: true, Partial: &imap.SectionPartial{Size: MaxMessage + 1}}
	cmd := f.client.Fetch(set, &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{body}})
	var messages []rawMessage
	total := 0
	for m := cmd.Next(); m != nil; m = cmd.Next() {
		raw, err := readRaw(m)
		if err != nil {
			return nil, err
		}
		if total += len(raw.text); total > maxBatchBytes+MaxMessage {
			return nil, errors.New("it sends more than it was asked for")
		}
		if raw.text != nil && wanted[raw.uid] {
			messages = append(messages, raw)
			wanted[raw.uid] = false
		}
	}
	slices.SortFunc(messages, func(a, b rawMessage) int { return cmp.Compare(a.uid, b.uid) })
	return messages, cmd.Close()
}

// readRaw reads what the server sends of one message; the text is nil where it
// sends none.
func readRaw(m *imapclient.FetchMessageData) (raw rawMessage, err error) {
	for item := m.Next(); item != nil; item = m.Next() {
		switch item := item.(type) {
		case imapclient.FetchItemDataUID:
			raw.uid = uint32(item.UID)
		case imapclient.FetchItemDataBodySection:
			if item.Literal == nil || raw.text != nil {
				continue
			}
			if raw.text, err = io.ReadAll(io.LimitReader(item.Literal, MaxMessage+1)); err != nil {
				return raw, err
			}
		}
	}
	return raw, nil
}
