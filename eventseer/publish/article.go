package publish

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/match"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/internal/bolt"
)

// When a link (containing a keyword) points to an article, the user should be notified about the article
// (paper 000, section 4.2). Here the link is the row of a list of calls, and the article is the call's own
// page. An event that lists match and that is known only from such rows waits until its page is read. Then
// the lists are compared with the page, and readers get its passage instead of the link's text.

// Limits on the pages that are read for clips.
const (
	maxArticles        = 500                // pages a day
	maxArticlesAccount = 20                 // pages a day for the lists of one account
	maxArticleTries    = 3                  // requests for a page that cannot be read at once
	articleRetry       = time.Hour          // delay between them
	articleTime        = 6 * time.Hour      // the longest time that readers are not notified
	articleTimeout     = 2 * time.Minute    // time for a request, with the delay for its host
	maxUnread          = 120                // characters of a reason
	articleBatch       = 50                 // events reported in one transaction
	articleDay         = "2006-01-02"       // format of a day in keys
	articleCountsHold  = 2 * 24 * time.Hour // how long counts of a day are kept
)

// NoArticle is the reason why a page for a clip cannot be read, now or later, in words for readers.
type NoArticle string

func (why NoArticle) Error() string { return string(why) }

// unreadBecause precedes the reason why readers get the text of a link.
const unreadBecause = "the text of a link only, since its page was not read: "

// maxTeaserWhy is the maximum number of other reasons of such an item: mails show five.
const maxTeaserWhy = 4

// awaitedArticle is the page of an event that readers are not notified of before the page is read.
type awaitedArticle struct {
	URL   string    `json:"url"`
	Seq   uint64    `json:"seq"`   // number of the change of the store that matched lists
	At    time.Time `json:"at"`    // when it matched
	Next  time.Time `json:"next"`  // time of the next request
	Tries int       `json:"tries"` // failed requests
	// Done means that the page was read, or will not be. Text is its text, Unread why there is none.
	Done   bool   `json:"done,omitempty"`
	Text   string `json:"text,omitempty"`
	Unread string `json:"unread,omitempty"`
}

// isOnlyListed reports whether an event is known only from rows of lists: nothing was read from its own page.
func isOnlyListed(d eventseer.Document) bool {
	return d.Event.URL != "" && len(d.Texts) == 0 && d.Event.Sources["title"].Rule == eventseer.ListRule
}

// awaitArticle reports whether the readers of news are notified of an event later, when its page was read. If the
// page is not read although the event is only listed, unread tells readers why.
func (s *Service) awaitArticle(tx *bolt.Tx, d eventseer.Document, c eventseer.Change, news []listNews, now time.Time) (waits bool, unread string, err error) {
	id := []byte(d.Event.ID)
	if a, err := records.Get[awaitedArticle](tx, records.ArticleBucket, id); err == nil {
		if !a.Done && !isOnlyListed(d) { // the crawl was faster
			a.Done = true
			return true, "", records.Put(tx, records.ArticleBucket, id, a)
		}
		return true, "", nil // reportAwaited also finds what is new now
	} else if !errors.Is(err, eventseer.ErrNotFound) {
		s.o.Log.Warn("the record of a page to be read is not used", "event", string(id), "cause", err)
	}
	if s.o.Article == nil || len(news) == 0 || !isOnlyListed(d) {
		return false, "", nil
	}
	counted, err := countArticle(tx, news, now)
	if err != nil || !counted {
		return false, unreadBecause + "the limit of pages a day is reached", err
	}
	a := awaitedArticle{URL: d.Event.URL, Seq: c.Seq, At: now, Next: now}
	return true, "", records.Put(tx, records.ArticleBucket, id, a)
}

// countArticle counts a page for the first account of news that has not reached its limit. It returns false
// if there is none.
func countArticle(tx *bolt.Tx, news []listNews, now time.Time) (bool, error) {
	b, day := tx.Bucket(records.ArticleCountBucket), now.Format(articleDay)
	all := records.JoinKey(day, "")
	total := records.NumberOf(b.Get(all))
	if total >= maxArticles {
		return false, nil
	}
	for _, t := range news {
		key := records.JoinKey(day, t.list.Account)
		if n := records.NumberOf(b.Get(key)); n < maxArticlesAccount {
			return true, errors.Join(b.Put(all, records.NumberKey(total+1)), b.Put(key, records.NumberKey(n+1)))
		}
	}
	return false, nil
}

// hasOldCounts reports whether there are counts of days that are not kept any more.
func hasOldCounts(tx *bolt.Tx, now time.Time) bool {
	first, _ := tx.Bucket(records.ArticleCountBucket).Cursor().First()
	return first != nil && bytes.Compare(first, oldestCount(now)) < 0
}

func removeOldCounts(tx *bolt.Tx, now time.Time) error {
	oldest := oldestCount(now)
	return records.DeleteIf(tx, records.ArticleCountBucket, nil, func(k, _ []byte) bool { return bytes.Compare(k, oldest) < 0 })
}

// oldestCount returns the beginning of the keys of the oldest counts that are kept.
func oldestCount(now time.Time) []byte { return []byte(now.Add(-articleCountsHold).Format(articleDay)) }

// moveArticle assigns the awaited page of event lost to event kept, because both are the same event.
func moveArticle(tx *bolt.Tx, lost, kept eventseer.EventID) error {
	b := tx.Bucket(records.ArticleBucket)
	data := bytes.Clone(b.Get([]byte(lost)))
	if data == nil {
		return nil
	}
	if b.Get([]byte(kept)) == nil {
		return errors.Join(b.Delete([]byte(lost)), b.Put([]byte(kept), data))
	}
	return b.Delete([]byte(lost))
}

// reportAwaited notifies readers of the events whose pages were read or waited too long.
func (s *Service) reportAwaited(ctx context.Context) error {
	if s.o.Store == nil {
		return nil
	}
	now := s.now()
	due, err := records.Read(ctx, s.db, func(tx *bolt.Tx) (bool, error) { return len(s.dueArticles(tx, now)) > 0 || hasOldCounts(tx, now), nil })
	if err != nil || !due {
		return err
	}
	defer s.LockLists()()
	for {
		n := 0
		err := s.db.Write(ctx, func(tx *bolt.Tx) (err error) {
			n, err = s.reportSomeAwaited(ctx, tx, now)
			return errors.Join(err, removeOldCounts(tx, now))
		})
		if err != nil {
			return fmt.Errorf("report events whose pages were read: %w", err)
		}
		if n < articleBatch {
			return nil
		}
	}
}

// dueArticles returns up to articleBatch records of events that are to be reported now.
func (s *Service) dueArticles(tx *bolt.Tx, now time.Time) map[eventseer.EventID]awaitedArticle {
	due := map[eventseer.EventID]awaitedArticle{}
	for k, v := range records.WithPrefix(tx, records.ArticleBucket, nil) {
		a, err := records.Decode[awaitedArticle](records.ArticleBucket, v)
		if err != nil {
			s.o.Log.Warn("the record of a page to be read is not used", "event", string(k), "cause", err)
			continue
		}
		if a.Done || !now.Before(a.At.Add(articleTime)) || a.At.After(now.Add(time.Hour)) {
			due[eventseer.EventID(k)] = a
		}
		if len(due) == articleBatch {
			break
		}
	}
	return due
}

// reportSomeAwaited reports up to articleBatch events and removes their records. It returns their number.
func (s *Service) reportSomeAwaited(ctx context.Context, tx *bolt.Tx, now time.Time) (n int, err error) {
	due, items := s.dueArticles(tx, now), 0
	for _, id := range slices.Sorted(maps.Keys(due)) {
		told, err := s.reportOneAwaited(ctx, tx, id, due[id], now)
		if err != nil {
			return 0, err
		}
		items += told
	}
	s.updateCounters(func(c *Counters) { c.Items += uint64(items) })
	return len(due), nil
}

// reportOneAwaited reports an event to the lists that match it, with the text of its page if there is one, and
// removes its record. It returns the number of items.
func (s *Service) reportOneAwaited(ctx context.Context, tx *bolt.Tx, id eventseer.EventID, a awaitedArticle, now time.Time) (told int, err error) {
	if err := tx.Bucket(records.ArticleBucket).Delete([]byte(id)); err != nil {
		return 0, err
	}
	e, ok, err := s.readEvent(ctx, tx, id)
	if err != nil || !ok || match.IsOver(e, now) {
		return 0, err
	}
	doc, err := s.documentOf(ctx, e)
	if err != nil {
		return 0, err
	}
	unread := ""
	if isOnlyListed(doc) {
		doc.Texts = eventseer.SearchedTexts([]eventseer.PageText{{URL: a.URL, Text: a.Text, Seen: now}}, e.Committee, s.o.People)
		if len(doc.Texts) == 0 {
			unread = unreadBecause + cmp.Or(a.Unread, "it was not answered in time")
		}
	}
	news, err := s.newsOf(tx, e, eventseer.Change{Seq: a.Seq}, s.matcher.Match(doc, now), earlierDocument{})
	if err != nil {
		return 0, err
	}
	for _, t := range news {
		if t.list.BeganAt().After(a.At) {
			continue // to this list the event is not new
		}
		if err := s.reportToList(tx, e, eventseer.Change{}, t.asTeaser(e, unread), now); err != nil {
			return told, err
		}
		told++
	}
	return told, nil
}

// asTeaser returns news with the reason why the event's own page was not read, and the page of the list as its
// source. "" changes nothing.
func (t listNews) asTeaser(e eventseer.Event, unread string) listNews {
	if unread != "" {
		shown := t.match.Why[:min(len(t.match.Why), maxTeaserWhy)]
		t.match.Why, t.match.Page = append(slices.Clone(shown), unread), cmp.Or(t.match.Page, e.Sources["title"].URL)
	}
	return t
}

// wakeArticles wakes RunArticles because an event may wait for its page. It does not block.
func (s *Service) wakeArticles() {
	select {
	case s.awaited <- struct{}{}:
	default:
	}
}

// RunArticles reads the pages of awaited events, one after the other, until ctx ends. It always returns nil.
func (s *Service) RunArticles(ctx context.Context) error {
	if s.o.Article == nil {
		return nil
	}
	for ctx.Err() == nil {
		read, err := s.readNextArticle(ctx)
		if err != nil && ctx.Err() == nil {
			s.o.Log.Error("the page of an awaited event cannot be recorded; it will be tried again", "cause", err)
		}
		pause := s.o.Poll
		if read && err == nil {
			s.Wake()
			pause = s.o.ArticlePause
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-s.awaiting(read):
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// awaiting returns the channel that wakes RunArticles, or nil after a page was read: the pause is not cut short.
func (s *Service) awaiting(read bool) <-chan struct{} {
	if read {
		return nil
	}
	return s.awaited
}

// readNextArticle reads the page that is due first and stores its text or its failure. It returns false if no
// page is due. If the process ends before the text is stored, the page is read again.
func (s *Service) readNextArticle(ctx context.Context) (bool, error) {
	var id []byte
	var next awaitedArticle
	now := s.now()
	err := s.db.Read(ctx, func(tx *bolt.Tx) error {
		for k, v := range records.WithPrefix(tx, records.ArticleBucket, nil) {
			a, err := records.Decode[awaitedArticle](records.ArticleBucket, v)
			if err == nil && !a.Done && !a.Next.After(now) && (id == nil || a.Next.Before(next.Next)) {
				id, next = bytes.Clone(k), a
			}
		}
		return nil
	})
	if err != nil || id == nil {
		return false, err
	}
	text, err := s.readArticle(ctx, next.URL)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return true, s.db.Write(ctx, func(tx *bolt.Tx) error {
		a, getErr := records.Get[awaitedArticle](tx, records.ArticleBucket, id)
		if errors.Is(getErr, eventseer.ErrNotFound) || getErr == nil && (a.Done || a.URL != next.URL) {
			return nil // reported, or merged, meanwhile
		}
		if getErr != nil {
			return getErr
		}
		a.recordResult(text, err, s.now())
		return records.Put(tx, records.ArticleBucket, id, a)
	})
}

// recordResult records the text of the page, or a failed request and when the next one follows.
func (a *awaitedArticle) recordResult(page string, err error, now time.Time) {
	if err == nil {
		a.Done, a.Text = true, strings.ToValidUTF8(page[:min(len(page), eventseer.MaxPageText)], "")
		return
	}
	a.Tries++
	a.Next, a.Unread = now.Add(articleRetry), message.CleanLine(err.Error(), maxUnread)
	a.Done = errors.As(err, new(NoArticle)) || a.Tries >= maxArticleTries
}

// readArticle reads a page within its time.
func (s *Service) readArticle(ctx context.Context, url string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, articleTimeout)
	defer cancel()
	page, err := s.o.Article(ctx, url)
	if err == nil && strings.TrimSpace(page) == "" {
		err = NoArticle("it has no text")
	}
	return page, err
}

// checkArticles checks that every awaited page can be read.
func checkArticles(tx *bolt.Tx) (broken []error) {
	for k, v := range records.WithPrefix(tx, records.ArticleBucket, nil) {
		if _, err := records.Decode[awaitedArticle](records.ArticleBucket, v); err != nil {
			broken = append(broken, fmt.Errorf("publish: page of event %q to be read: %w", k, err))
		}
	}
	return broken
}
