package eventseer

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"

	"github.com/zeebo/xxh3"
)

// An origin is a page, or a backlink query, with waiting links. It records the results of those
// followed.
type origin struct {
	Kind    string
	Born    int // orders origins by age
	Links   part.Outcomes
	Told    float64 // its yield when the scores of its links were last updated
	Parked  bool    // its links are being sampled, and none was good yet
	Waiting []waitingOffer
}

// A waitingOffer is a waiting link of an origin.
type waitingOffer struct {
	URL    string
	Hand   float64 // worth by the rules
	Worth  float64 // of its words
	Model  float64 // the link model's probability, noModel without one
	Share  float64 // factor on its score for the topic
	Away   bool    `json:",omitempty"`
	List   bool    `json:",omitempty"`
	Told   bool    `json:",omitempty"`
	Sample bool    `json:",omitempty"`
	Words  wordSet `json:",omitempty"`

	site string       // of the link; "" until it is needed
	link *waitingLink // set by storeOrigin
}

// A waitingLink is a link that waits, and the origins that offer it.
type waitingLink struct {
	pages    []string  // of the origins
	origins  []*origin // the same number
	reported float64   // its score when it was last scored again; NaN if it has been proposed since
}

// A siteAccount is the worth of the pages of a site.
type siteAccount struct {
	Visits, Worth float64
	Calls         int
	Asked         bool // for its backlinks
}

// A path is the path by which the crawl reached a page. It has a waiting link and the pages that
// contain it, none if unknown.
type path struct {
	origins []string
	hand    float64
	x       linkFeatures
	words   wordSet
	touched []string // origins that lost a waiting link
}

// yieldFirst is the prior weight, in links, of the mean of an origin's kind. yieldStep is the
// change of yield after which its links are scored again.
const (
	yieldFirst = 3
	yieldStep  = 0.2
	siteFirst  = 2 // prior weight of siteMean, in pages
	siteMean   = 0.2
	rescored   = 100 // links scored again with each visit
)

// relativeYield returns how much better the links of an origin were than those of other origins of its kind, in
// log-odds.
func (s *eventSeer) relativeYield(o *origin) float64 {
	if o.Links.N == 0 {
		return 0
	}
	mean := s.learned.outcomesOf(o.Kind).Mean()
	return logOdds((o.Links.Sum+yieldFirst*mean)/(o.Links.N+yieldFirst)) - logOdds(mean)
}

// offerOf returns the offer of a link that waits.
func (o *origin) offerOf(l *waitingLink) *waitingOffer {
	i := 0
	for o.Waiting[i].link != l {
		i++
	}
	return &o.Waiting[i]
}

// pagesOffering returns the pages of the origins that offer a link, none if it does not wait.
func (s *eventSeer) pagesOffering(url string) []string {
	if l := s.links[url]; l != nil {
		return l.pages
	}
	return nil
}

// bestOffer returns the offer of a link with the highest score by the rules, its origin, and its features.
func (s *eventSeer) bestOffer(l *waitingLink) (*waitingOffer, *origin, linkFeatures) {
	var first *waitingOffer
	var from *origin
	strongest := 0.0
	for _, o := range l.origins {
		if y := s.relativeYield(o); math.Abs(y) > math.Abs(strongest) {
			strongest = y
		}
		if f := o.offerOf(l); first == nil || f.Hand > first.Hand {
			first, from = f, o
		}
	}
	return first, from, s.offerFeatures(first, from, strongest, len(l.origins))
}

// scoreOffer returns the score of an offer with the features x.
func (s *eventSeer) scoreOffer(f *waitingOffer, x *linkFeatures) float64 {
	return f.Share * s.learned.expectedWorth(f.Hand, x, f.Words)
}

// offerFeatures returns the features of an offer found on n pages; yield is that of the origin that
// differs most from its kind.
func (s *eventSeer) offerFeatures(f *waitingOffer, o *origin, yield float64, n int) (x linkFeatures) {
	kind := slices.Index(kinds[:], o.Kind)
	if kind < 0 {
		kind = slices.Index(kinds[:], "other")
	}
	x[isConstant] = 1
	cue, model := hasCue, saysModel
	if f.Away {
		kind, cue, model = kind+numKinds, hasCueAway, saysModelAway
	}
	x[kind], x[cue] = 1, f.Worth
	if f.Model != noModel {
		x[model] = max(-4, logOdds(f.Model)) + modelCentre
	}
	x[hasListWords], x[inProse], x[isBacklink] = oneIfTrue(f.List), oneIfTrue(f.Told), oneIfTrue(o.Kind == backKind)
	setAddressFeatures(&x, f.URL)
	if f.site == "" {
		f.site = part.Site(f.URL)
	}
	if a := s.sites[f.site]; a != nil {
		x[siteHasCall] = oneIfTrue(a.Calls > 0)
		x[siteVisits] = math.Log1p(a.Visits) / 3
		if a.Visits > 0 {
			x[siteWorth] = logOdds((a.Worth+siteFirst*siteMean)/(a.Visits+siteFirst)) - logOdds(siteMean)
		}
	}
	x[originWorth] = yield
	x[isCited] = math.Log(float64(n))
	return x
}

func oneIfTrue(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// proposal makes a candidate of a waiting link from all known data, to be proposed.
func (s *eventSeer) proposal(url string) (crawler.Candidate, float64) {
	l := s.links[url]
	l.reported = math.NaN() // the frontier keeps the higher score of a link that it has
	f, o, x := s.bestOffer(l)
	score := s.scoreOffer(f, &x)
	return crawler.Candidate{URL: url, Score: score, Why: s.explainScore(f, o, &x)}, score
}

// addOffers stores the offers of a page, the best by the rules, and returns those that were new.
func (s *eventSeer) addOffers(v *crawler.Verdict, page string, o *origin, offers []waitingOffer) map[string]bool {
	s.removeOrigin(page)
	order := slices.Clone(offers)
	slices.SortStableFunc(order, func(a, b waitingOffer) int { return cmp.Compare(b.Hand, a.Hand) })
	fresh, known := map[string]bool{}, map[string]bool{}
	for _, f := range order {
		if s.visited[xxh3.HashString(f.URL)] || known[f.URL] {
			continue
		}
		known[f.URL] = true
		pages := s.pagesOffering(f.URL)
		if len(o.Waiting) < maxOffers && len(pages) < maxCiting {
			o.Waiting = append(o.Waiting, f)
			fresh[f.URL] = len(pages) == 0
		}
	}
	if len(o.Waiting) == 0 {
		return fresh
	}
	o.Born = s.born
	s.storeOrigin(page, o)
	v.Notes = append(v.Notes, s.originNote(page))
	if len(s.origins) > maxOrigins {
		oldest := s.order[0].page
		s.removeOrigin(oldest)
		v.Notes = append(v.Notes, s.originNote(oldest))
	}
	return fresh
}

// An aged is an origin in order of age.
type aged struct {
	born int
	page string
}

func (a aged) compare(born int) int { return cmp.Compare(a.born, born) }

func (s *eventSeer) storeOrigin(page string, o *origin) {
	s.removeOrigin(page)
	s.born = max(s.born, o.Born+1)
	s.origins[page] = o
	s.order = append(s.order, aged{o.Born, page})
	for i := range o.Waiting {
		f := &o.Waiting[i]
		if f.link = s.links[f.URL]; f.link == nil {
			f.link = &waitingLink{reported: math.NaN()}
			s.links[f.URL] = f.link
		}
		f.link.pages, f.link.origins = append(f.link.pages, page), append(f.link.origins, o)
	}
}

func (s *eventSeer) removeOrigin(page string) {
	o := s.origins[page]
	if o == nil {
		return
	}
	delete(s.origins, page)
	if i, ok := slices.BinarySearchFunc(s.order, o.Born, aged.compare); ok {
		s.order = slices.Delete(s.order, i, i+1)
	}
	for _, f := range o.Waiting {
		s.removeLinkPage(f.URL, page)
	}
}

// removeLinkPage removes a page from the pages that contain a link.
func (s *eventSeer) removeLinkPage(url, page string) {
	l := s.links[url]
	if l == nil {
		return
	}
	if i := slices.Index(l.pages, page); i >= 0 {
		l.pages, l.origins = slices.Delete(l.pages, i, i+1), slices.Delete(l.origins, i, i+1)
	}
	if len(l.pages) == 0 {
		delete(s.links, url)
	}
}

// removeFollowed removes a followed link from the waiting ones, under its requested and its final address.
func (s *eventSeer) removeFollowed(a crawler.Arrival) *path {
	w := &path{}
	if l := s.links[a.Lease.URL]; l != nil {
		f, _, x := s.bestOffer(l)
		w.origins, w.hand, w.x, w.words = slices.Clone(l.pages), f.Hand, x, f.Words
	}
	for _, url := range []string{a.Lease.URL, a.URL()} {
		for _, page := range slices.Clone(s.pagesOffering(url)) {
			w.touched = append(w.touched, page)
			o := s.origins[page]
			o.Waiting = slices.DeleteFunc(o.Waiting, func(f waitingOffer) bool { return f.URL == url })
			s.removeLinkPage(url, page)
		}
	}
	return w
}

// rewardPath reports the worth of the page at the end of a path to the corrector, the site and the pages of
// the path. It then rescores the waiting links of pages that did better or worse than expected.
func (s *eventSeer) rewardPath(v *crawler.Verdict, url string, w *path, worth float64) {
	if a := s.sites[part.Site(url)]; a != nil && s.without != Learning {
		a.Worth += worth
		v.Notes = append(v.Notes, part.NoteOf("site/"+part.Site(url), a))
	}
	if len(w.origins) == 0 || s.without == Learning {
		return
	}
	s.learned.updateWeights(w.hand, &w.x, worth, w.words)
	w.words.each(func(h uint16) { v.Notes = append(v.Notes, wordNote(h, s.learned.Words[h])) })
	var origins []*origin
	for _, page := range w.origins {
		if o := s.origins[page]; o != nil { // not removed for a newer one
			origins = append(origins, o)
		}
	}
	for _, o := range origins {
		o.Links.Add(worth, 1)
		s.learned.outcomesOf(o.Kind).Add(worth, kindFade)
	}
	for _, o := range origins {
		if math.Abs(s.relativeYield(o)-o.Told) > yieldStep {
			s.rescoreOffers(v, o)
		}
	}
}

// raiseParkedLinks gives the parked links of a page the score of samples after one of its samples was good.
func (s *eventSeer) raiseParkedLinks(v *crawler.Verdict, w *path, kind string) {
	if !isHit(kind) {
		return
	}
	for _, page := range w.origins {
		o := s.origins[page]
		if o == nil || !o.Parked {
			continue
		}
		o.Parked = false
		for i := range o.Waiting {
			f := &o.Waiting[i]
			f.Hand = max(f.Hand, sampleScore(f.Worth))
		}
		s.rescoreOffers(v, o)
	}
}

// rescoreNext scores the links of the next origins again, at least rescored links if so many wait. So in
// turn all follow what was learned.
func (s *eventSeer) rescoreNext(v *crawler.Verdict) {
	if s.without == Learning {
		return
	}
	n := 0
	for range s.order {
		i, _ := slices.BinarySearchFunc(s.order, s.next, aged.compare)
		if i == len(s.order) {
			i = 0
		}
		s.next = s.order[i].born + 1
		o := s.origins[s.order[i].page]
		if o == nil {
			continue
		}
		s.rescoreWaiting(v, o)
		if n += len(o.Waiting); n >= rescored {
			return
		}
	}
}

func (s *eventSeer) rescoreOffers(v *crawler.Verdict, o *origin) {
	o.Told = s.relativeYield(o)
	s.rescoreWaiting(v, o)
}

// rescoreWaiting scores the waiting links of an origin again, and reports the scores that have changed.
func (s *eventSeer) rescoreWaiting(v *crawler.Verdict, o *origin) {
	for i := range o.Waiting {
		l := o.Waiting[i].link
		f, from, x := s.bestOffer(l)
		score := s.scoreOffer(f, &x)
		if score == l.reported {
			continue
		}
		l.reported = score
		v.Rescore = append(v.Rescore, crawler.Candidate{URL: f.URL, Score: score, Why: s.explainScore(f, from, &x)})
	}
}

// places describes to users where a link of each kind is.
var places = map[string]string{
	part.ListPage: "a list of calls links here", callPage: "a call links here", "cfp": "a page like a call links here",
	"conference": "a conference links here", "homepage": "a homepage links here", "institution_topic": "an institution links here",
	"weblog": "a weblog links here", mailPage: "a mail links here", backKind: "it links to a call",
}

// explainScore explains to users how the score of an offer was computed.
func (s *eventSeer) explainScore(f *waitingOffer, o *origin, x *linkFeatures) string {
	place := places[o.Kind]
	if place == "" {
		place = "a page of unknown type links here"
	}
	why := append(make([]byte, 0, crawler.MaxWhy), place...)
	add := func(is bool, words string) {
		if is {
			why = append(append(why, ", "...), words...)
		}
	}
	add(f.Worth >= 1, "its words suggest a call")
	add(f.Worth >= 0.4 && f.Worth < 1, "its words mention dates or submission")
	add(f.Worth > 0 && f.Worth < 0.4, "its words suggest an event")
	add(f.List, "its words suggest a list")
	if f.Model >= 0 {
		why = strconv.AppendFloat(append(why, ", link model "...), f.Model, 'f', 2, 64)
	}
	add(o.Parked && !f.Sample, "waits until a sample turns out well")
	add(o.Parked && f.Sample, "sample")
	if o.Links.N >= 1 {
		why = strconv.AppendFloat(append(why, ", "...), o.Links.N, 'f', 0, 64)
		why = strconv.AppendFloat(append(why, " links followed from there, with a mean value of "...), o.Links.Mean(), 'f', 2, 64)
	}
	words := s.learned.logOddsOf(f.Words)
	add(words > 0.5, "links with such words led to calls")
	add(words < -0.5, "links with such words led nowhere")
	add(x[siteHasCall] > 0, "its site has a call")
	return part.FormatWhy("%s", why)
}
