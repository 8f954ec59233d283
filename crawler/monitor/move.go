package monitor

import (
	"net/http"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/bolt"
)

// A source whose address redirects is visited at the new address from then on. This happens at once
// if the site declares the move permanent, otherwise after two redirects in a row, because the
// first may be for maintenance, and a page that a crawl has fetched under the other address is not
// read again under this one.

// finalAddress returns the address that responded to a lease, or will be fetched for it, if it differs.
// forGood reports whether the site declares the move permanent.
func finalAddress(a *crawler.Arrival) (url string, forGood bool) {
	o := &a.Outcome
	forGood = true
	for _, hop := range o.Redirects {
		forGood = forGood && isPermanentRedirect(hop.Status)
	}
	switch {
	case o.Fate != crawler.Fetched && o.Fate != crawler.Unchanged:
		return "", false
	case o.Leads != "":
		return o.Leads, forGood && isPermanentRedirect(o.Status)
	case len(o.Redirects) > 0 && o.Status < http.StatusMultipleChoices:
		return o.FinalURL, forGood
	}
	return "", false
}

func isPermanentRedirect(status int) bool {
	return status == http.StatusMovedPermanently || status == http.StatusPermanentRedirect
}

// moveSource changes the address of a source, including the results of its links. If the new address is
// already a source, that is unchanged.
func moveSource(tx *bolt.Tx, from, to string) error {
	s, ok, err := sourceIn(tx, from)
	if err != nil || !ok {
		return err
	}
	if err := dropSource(tx, from); err != nil {
		return err
	}
	_, known, err := sourceIn(tx, to)
	if err != nil || known {
		return err
	}
	s.URL, s.Was, s.LedTo = to, from, ""
	s.ETag, s.LastModified, s.Digest = "", "", "" // there is no version of this address
	yields := tx.Bucket(yieldBucket)
	if value := yields.Get([]byte(from)); value != nil && yields.Get([]byte(to)) == nil {
		if err := yields.Put([]byte(to), append([]byte(nil), value...)); err != nil {
			return err
		}
	}
	return putSource(tx, s)
}
