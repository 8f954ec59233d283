package frontier

import (
	"cmp"
	"context"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"
)

// Push adds links; see crawler.Frontier. Links without a host and those longer
// than webgraph.MaxURL are left out. A link that waits for a time keeps it if
// that is for a new try or a new visit; otherwise the earlier time counts.
func (f *Frontier) Push(ctx context.Context, cs []crawler.Candidate) error {
	if err := ctx.Err(); err != nil || len(cs) == 0 {
		return err
	}
	return f.commit(nil, func(t *txn) error { return t.change(crawler.Changes{Push: cs}) })
}

// change makes the changes of one page.
func (t *txn) change(ch crawler.Changes) error {
	for i := range ch.Push {
		if err := t.push(&ch.Push[i]); err != nil {
			return err
		}
	}
	for _, c := range ch.Rescore {
		if err := t.rescore(c); err != nil {
			return err
		}
	}
	for _, url := range ch.Drop {
		if err := t.drop(url); err != nil {
			return err
		}
	}
	return nil
}

func (t *txn) push(c *crawler.Candidate) error {
	if len(c.URL) > webgraph.MaxURL {
		return nil
	}
	hash, score := t.hash(c.URL), crawler.ClampDueScore(c.Score)
	s := t.seen.get(hash)
	switch st := s.standing(); {
	case st == unseen:
		if hostOf(c.URL) == "" {
			return nil
		}
		rec := Record{URL: c.URL, Seq: t.count.seq, Due: c.Due}
		t.count.seq++
		rec.way(*c, score)
		t.admit(hash, &rec)
		return nil
	case st == isAway || st == wasSent:
		return t.pushAway(hash, s, c, score)
	case st == inQueue && s.at != 0 && rank(score) < s.at, st == inDue:
		return t.improve(hash, s, c, score)
	case (st.ended() || st == wasDropped || st == isAlias) && c.How == crawler.Monitor:
		return t.revive(hash, s, c, score)
	}
	return nil
}

// improve raises a waiting link, or brings its time forward.
func (t *txn) improve(hash uint64, s slot, c *crawler.Candidate, score float64) error {
	old, ok, err := t.record(t.r, s, c.URL)
	if err != nil || !ok {
		return err
	}
	rec := old
	if score > rec.Score {
		if rec.Score = score; score > rec.Proposed {
			rec.way(*c, score)
		}
	}
	fixed := rec.Tries > 0 || rec.Fate != "" && c.How != crawler.Monitor
	if !fixed && c.Due.Before(rec.Due) {
		rec.Due = c.Due
	}
	if rec.Score == old.Score && rec.Due.Equal(old.Due) {
		return nil
	}
	t.remove(s, c.URL)
	t.again(hash, s, &rec)
	return nil
}

// revive makes an ended link wait for another visit, or one that was dropped or seen
// only on the way of another for its first.
func (t *txn) revive(hash uint64, s slot, c *crawler.Candidate, score float64) error {
	rec, ok, err := t.record(t.r, s, c.URL)
	if err != nil || !ok {
		return err
	}
	t.remove(s, c.URL)
	rec.Seq, rec.Tries, rec.Crashes, rec.Due, rec.Via = t.count.seq, 0, 0, c.Due, ""
	t.count.seq++
	rec.way(*c, score)
	if s.standing().ended() {
		t.wait(hash, &rec)
	} else {
		t.admit(hash, &rec)
	}
	return nil
}

// open reports whether the link waits, and may be changed while it does.
func (s slot) open() bool { return s.standing() == inQueue && s.at != 0 || s.standing() == inDue }

// pliant reports whether Rescore and Drop may change the link.
func (s slot) pliant() bool { return s.open() || s.standing() == isAway }

func (t *txn) rescore(c crawler.Candidate) error {
	hash, score := t.hash(c.URL), crawler.ClampDueScore(c.Score)
	s := t.seen.get(hash)
	if !s.pliant() {
		return nil
	}
	rec, ok, err := t.record(t.r, s, c.URL)
	if err != nil || !ok || rec.Score == score {
		return err
	}
	t.remove(s, c.URL)
	rec.Score = score
	rec.Explained = cmp.Or(cut(c.Why, crawler.MaxWhy), rec.Explained)
	t.again(hash, s, &rec)
	return nil
}

func (t *txn) drop(url string) error {
	hash := t.hash(url)
	s := t.seen.get(hash)
	if !s.pliant() {
		return nil
	}
	rec, ok, err := t.record(t.r, s, url)
	if err != nil || !ok {
		return err
	}
	t.remove(s, url)
	rec.State, rec.Due, rec.Held = Dropped, time.Time{}, false
	t.retire(hash, &rec)
	return nil
}
