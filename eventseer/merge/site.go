package merge

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/eventseer/validate"
	"github.com/eventseer/eventseer/internal/text"
)

// MaxSite is the maximum number of records that Site merges.
const MaxSite = 500

// homeVotes is the weight of a site's home page relative to its other pages.
const homeVotes = 2

// MergeSite merges the records of the pages of one edition's site, at most MaxSite, in any order. Title, acronym,
// days and place are chosen by votes of the pages. A page's vote has the square of its confidence as weight,
// twice as much for the home page. A chosen value has the page with the greatest weight as its source; other
// values go into the trail. Topics are taken from one page, the committee from those with sure lists. Everything
// else is merged as in Merge, without the dates of side pages, see dropSideDays. It is pure. Without records it
// returns the zero event.
func MergeSite(records []eventseer.Event) eventseer.Event {
	records = slices.Clone(records[:min(len(records), MaxSite)])
	if len(records) == 0 {
		return eventseer.Event{}
	}
	home := homeOf(records)
	slices.SortStableFunc(records, func(a, b eventseer.Event) int {
		return cmp.Or(compareBools(b.URL == home, a.URL == home), cmp.Compare(a.URL, b.URL))
	})
	out := records[0]
	for _, e := range records[1:] {
		out, _ = Merge(out, e)
	}
	if len(records) == 1 {
		return out
	}
	b := newSiteVotes(records, home, out)
	b.chooseAll()
	b.chooseTopics()
	b.chooseCommittee()
	b.chooseDeadlines()
	b.dropSideDays()
	return b.buildEvent()
}

// votedFields are the fields that Elect chooses by votes, and the lists that it takes from some pages.
var votedFields = []string{"title", "acronym", "event_start", "event_end", "location", "topics", "committee"}

// maxFormer is the maximum number of former values in the trail of a vote.
const maxFormer = 8

// VoteOf returns the part of a record that Elect needs. before is the earlier vote of the same page. Days and
// places that the page stated before but not now are in the vote's trail. It is pure.
func VoteOf(e, before eventseer.Event) eventseer.Event {
	v := eventseer.Event{
		URL: e.URL, Title: e.Title, Acronym: e.Acronym, Year: e.Year, EventStart: e.EventStart, EventEnd: e.EventEnd,
		Location: e.Location, Topics: e.Topics, Committee: e.Committee, Related: e.Related, LastSeen: e.LastSeen,
	}
	for _, field := range votedFields {
		if src, ok := e.Sources[field]; ok {
			if v.Sources == nil {
				v.Sources = map[string]eventseer.Provenance{}
			}
			v.Sources[field] = src
		}
	}
	v.Trail = before.Trail
	former := func(field string, key func(*eventseer.Event) string) {
		was, now := key(&before), key(&e)
		if was != "" && now != "" && was != now {
			v.Trail = append(v.Trail, eventseer.Evidence{Field: field, Value: was, Seen: before.LastSeen})
		}
		v.Trail = slices.DeleteFunc(v.Trail, func(f eventseer.Evidence) bool { return f.Field == field && f.Value == now })
	}
	v.Trail = slices.Clone(v.Trail)
	v.Deadlines = e.Deadlines[:min(len(e.Deadlines), maxVotedDays)]
	former("event_start", daysOf)
	former("location", cityOf)
	v.Trail = v.Trail[max(0, len(v.Trail)-maxFormer):]
	return v
}

// ApplyVotes sets title, acronym, days and place of an event to the values that most pages of its own site
// state. votes has one vote per page, see VoteOf, at most MaxSite. The result does not depend on their order.
// Values that a page stated before and changed get no votes. Topics are taken from one page, the committee from
// the pages with sure lists. With fewer than two votes, e is not changed. It also returns the fields that
// differ from before. It is pure.
func ApplyVotes(before, e eventseer.Event, votes []eventseer.Event) (eventseer.Event, []eventseer.FieldChange) {
	if len(votes) < 2 {
		return e, change.Diff(before, e)
	}
	votes = slices.Clone(votes[:min(len(votes), MaxSite)])
	slices.SortStableFunc(votes, func(a, b eventseer.Event) int { return cmp.Compare(a.URL, b.URL) })
	b := newSiteVotes(votes, homeOf(votes), e)
	b.chooseAll()
	b.chooseTopics()
	b.chooseCommittee()
	b.chooseDeadlines()
	b.dropSideDays()
	if b.out.Homepage == "" && b.home != "" {
		b.out.Homepage = b.home
		b.sources["homepage"] = eventseer.Provenance{URL: b.home, Rule: siteRule}
	}
	e = b.buildEvent()
	return e, change.Diff(before, e)
}

// overviewDays is the minimum number of dates on a page with an overview of an edition's dates.
const overviewDays = 3

// dropSideDays removes dates that are not deadlines of the edition. These are dates that are too late, see
// DeadlineKind.TooLate, and dates that only a side page states, if main pages have dates of the same kind. A
// side page is neither a call nor the home page and has fewer dates than an overview. It is about a hotel, a
// grant, a special issue or the like. Dates for papers and for abstracts count as the same kind. A date of a
// side page in running text or without its year counts only if no other page has dates. Dates with a
// track, extensions and registrations are kept. A date of no kind of deadline, such as one of a review,
// counts only on a call or the home page, if other pages have dates. Removed dates go into the trail.
func (b *siteVotes) dropSideDays() {
	calls, days := b.out.CallPages(), map[string]int{}
	for i := range b.records {
		days[b.records[i].URL] = len(b.records[i].Deadlines)
	}
	isMain := func(d eventseer.Deadline) bool {
		u := d.Source.URL // one without dates is unknown, or not a page of the site
		return days[u] == 0 || u == b.home || u == b.out.Homepage || slices.Contains(calls, u)
	}
	isSide := func(d eventseer.Deadline) bool { return !isMain(d) && days[d.Source.URL] < overviewDays }
	ds := b.out.Deadlines
	ofSide := func(d eventseer.Deadline) bool {
		if d.Kind == eventseer.OtherDeadline && !isMain(d) {
			return slices.ContainsFunc(ds, func(x eventseer.Deadline) bool { return x.Source.URL != d.Source.URL })
		}
		ofMain := func(x eventseer.Deadline) bool {
			return !isSide(x) && (x.Kind == d.Kind || isPaperDeadline(x.Kind) && isPaperDeadline(d.Kind))
		}
		return isSide(d) && d.Track == "" && d.Kind != eventseer.Registration && !saysExtension(d) && slices.ContainsFunc(ds, func(x eventseer.Deadline) bool {
			return ofMain(x) || isLoose(d) && x.Source.URL != d.Source.URL
		})
	}
	start, dated := b.out.EventStart.Time()
	tooLate := func(d eventseer.Deadline) bool {
		on, ok := d.Date.Time()
		return dated && ok && d.Kind.IsTooLate(on, start)
	}
	b.out.Deadlines = nil
	for _, d := range ds {
		if tooLate(d) || ofSide(d) {
			b.trail = append(b.trail, eventseer.Evidence{Field: d.Field(), Value: d.String(), Source: withoutSnippet(d.Source), Seen: b.out.LastSeen})
			continue
		}
		b.out.Deadlines = append(b.out.Deadlines, d)
	}
}

// isLoose reports whether a date is in running text or printed without its year.
func isLoose(d eventseer.Deadline) bool {
	return d.Source.Rule == eventseer.ProseRule || d.Source.Inferred != ""
}

// isPaperDeadline reports whether a deadline of kind k is for papers or their abstracts.
func isPaperDeadline(k eventseer.DeadlineKind) bool {
	return k == eventseer.Submission || k == eventseer.Abstract
}

// siteRule is the Provenance.Rule of a home page that is at the top of the event's site.
const siteRule = "site-top"

// chooseAll chooses acronym, title, days and place.
func (b *siteVotes) chooseAll() {
	b.chooseField("acronym", func(e *eventseer.Event) string {
		return text.FoldForComparison(strings.TrimRight(e.Acronym, "0123456789'’ -"))
	}, func(out, e *eventseer.Event) { out.Acronym = e.Acronym })
	b.chooseField("title", b.titleKey(), func(out, e *eventseer.Event) { out.Title = e.Title })
	if b.chooseField("event_start", b.daysKey(), func(out, e *eventseer.Event) {
		out.EventStart, out.EventEnd, out.Year = e.EventStart, e.EventEnd, e.Year
	}) {
		b.sources["event_end"] = b.sources["event_start"]
		delete(b.sources, "year")
	}
	place := func(out, e *eventseer.Event) {
		v := *e.Location
		if out.Location != nil {
			v.Online, v.Hybrid = v.Online || out.Location.Online, v.Hybrid || out.Location.Hybrid
		}
		if i := b.surestCountryOf(cityOf(e)); i >= 0 && v.CountryCode == "" {
			r := b.records[i].Location
			v.Country, v.CountryCode, v.Region = r.Country, r.CountryCode, cmp.Or(v.Region, r.Region)
		}
		out.Location = &v
	}
	if !b.dropSidePlace() {
		b.chooseField("location", b.placeKey(), place)
	}
}

// dropSidePlace removes a place of side pages if the home page or a call says that the event is online. These
// must name no place, and no page may say that it is hybrid. The removed place is mostly that of the organisers.
// It returns false if the place is kept.
func (b *siteVotes) dropSidePlace() bool {
	online := -1
	for i := range b.records {
		e := &b.records[i]
		if e.Location == nil {
			continue
		}
		isSide := eventseer.IsRelated(*e) && e.URL != b.home
		if e.Location.Hybrid || !isSide && (cityOf(e) != "" || countryOf(e) != "") {
			return false
		}
		if !isSide && e.Location.Online && online < 0 {
			online = i
		}
	}
	of := provenanceOf(b.out, "location").URL
	if online < 0 || !slices.ContainsFunc(b.records, func(e eventseer.Event) bool { return e.URL == of }) {
		return false
	}
	e := &b.records[online]
	if cityOf(&b.out) != "" || countryOf(&b.out) != "" {
		b.trail = append(b.trail, eventseer.Evidence{Field: "location", Value: b.out.Location.String(), Source: withoutSnippet(provenanceOf(b.out, "location")), Seen: b.out.LastSeen})
	}
	v := *e.Location
	b.out.Location, b.sources["location"] = &v, provenanceOf(*e, "location")
	return true
}

// surestCountryOf returns the index of the record that names a city with its country and has the greatest
// weight. It returns -1 if no record does.
func (b *siteVotes) surestCountryOf(city string) int {
	surest := -1
	for i := range b.records {
		e := &b.records[i]
		if city != "" && cityOf(e) == city && countryOf(e) != "" && (surest < 0 || b.voteWeight(i, "location") > b.voteWeight(surest, "location")) {
			surest = i
		}
	}
	return surest
}

// placeKey returns the key function for places. The key is the city in the country with most votes. If no
// page names a city there, it is the country. A city without its country votes for the one that the surest
// other page prints with it, and gets it if the city is chosen. A page about another country has no vote, so that the city of one speaker does not outweigh all
// pages that name only the country.
func (b *siteVotes) placeKey() func(*eventseer.Event) string {
	of := map[string]string{}
	for i := range b.records {
		if city := cityOf(&b.records[i]); of[city] == "" {
			if k := b.surestCountryOf(city); k >= 0 {
				of[city] = countryOf(&b.records[k])
			}
		}
	}
	country := func(e *eventseer.Event) string { return cmp.Or(countryOf(e), of[cityOf(e)], cityOf(e)) }
	votes, most := map[string]float64{}, ""
	former := b.formerValues("location")
	for i := range b.records {
		e := &b.records[i]
		k := country(e)
		if k == "" || former[cityOf(e)] {
			continue
		}
		if votes[k] += b.voteWeight(i, "location"); most == "" || votes[k] > votes[most] || votes[k] == votes[most] && k < most {
			most = k
		}
	}
	cities := slices.ContainsFunc(b.records, func(e eventseer.Event) bool {
		return country(&e) == most && cityOf(&e) != "" && !former[cityOf(&e)]
	})
	return func(e *eventseer.Event) string {
		switch {
		case country(e) != most:
			return ""
		case cities:
			return cityOf(e)
		}
		return countryOf(e)
	}
}

// titleKey returns the key function for titles. A title that is only the acronym counts as a vote for the
// full title with most votes that matches the acronym, if there is one.
func (b *siteVotes) titleKey() func(*eventseer.Event) string {
	acronym := series.BareAcronym(b.out)
	bare := func(e *eventseer.Event) bool { return match.IsBareTitle(series.TitleWords(e.Title), acronym) }
	votes, full := map[string]float64{}, ""
	for i := range b.records {
		e := &b.records[i]
		if k := text.FoldForComparison(e.Title); k != "" && !bare(e) && match.IsAcronymOf(e.Title, acronym) {
			if votes[k] += b.voteWeight(i, "title"); full == "" || votes[k] > votes[full] || votes[k] == votes[full] && k < full {
				full = k
			}
		}
	}
	return func(e *eventseer.Event) string {
		if full != "" && e.Title != "" && bare(e) {
			return full
		}
		return text.FoldForComparison(e.Title)
	}
}

// buildEvent returns the event with its new sources and trail.
func (b *siteVotes) buildEvent() eventseer.Event {
	out := b.out
	out.Sources = b.sources
	out.Trail = trailOf(out, out.Trail, b.trail)
	return validate.Event(out)
}

// daysKey returns the key function for days. If the event is a workshop, pages that print the days of its
// conference count as votes for the workshop's own days. These are days within them that other pages print,
// if there is only one such value.
// If the event is not a workshop, pages that print a single day count as votes for the only range of days
// around it that other pages print: it is the first day or that of a part.
func (b *siteVotes) daysKey() func(*eventseer.Event) string {
	if b.out.Kind != eventseer.Workshop {
		return b.rangeKey
	}
	if b.out.Parent == "" {
		return daysOf
	}
	within := func(in, of *eventseer.Event) bool {
		return in.EventStart != "" && of.EventStart != "" && daysOf(in) != daysOf(of) &&
			in.EventStart >= of.EventStart && cmp.Or(in.EventEnd, in.EventStart) <= cmp.Or(of.EventEnd, of.EventStart)
	}
	return func(e *eventseer.Event) string {
		own := ""
		for i := range b.records {
			if r := &b.records[i]; within(r, e) {
				if own != "" && own != daysOf(r) {
					return daysOf(e) // pages print days of several parts
				}
				own = daysOf(r)
			}
		}
		return cmp.Or(own, daysOf(e))
	}
}

// rangeKey returns the days of e or, if they are one day, the only range around it in the records.
func (b *siteVotes) rangeKey(e *eventseer.Event) string {
	if e.EventStart == "" || cmp.Or(e.EventEnd, e.EventStart) != e.EventStart {
		return daysOf(e)
	}
	around := ""
	for i := range b.records {
		if r := &b.records[i]; r.EventEnd > r.EventStart && r.EventStart <= e.EventStart && e.EventStart <= r.EventEnd {
			if around != "" && around != daysOf(r) {
				return daysOf(e)
			}
			around = daysOf(r)
		}
	}
	return cmp.Or(around, daysOf(e))
}

func daysOf(e *eventseer.Event) string {
	if e.EventStart == "" {
		return ""
	}
	return string(e.EventStart + "/" + cmp.Or(e.EventEnd, e.EventStart))
}

func cityOf(e *eventseer.Event) string {
	if e.Location == nil {
		return ""
	}
	return text.FoldForComparison(e.Location.City)
}

func countryOf(e *eventseer.Event) string {
	if e.Location == nil {
		return ""
	}
	return e.Location.CountryCode
}

// siteVotes counts the votes of a site's pages and builds the resulting event.
type siteVotes struct {
	records []eventseer.Event
	home    string
	out     eventseer.Event
	sources map[string]eventseer.Provenance
	trail   []eventseer.Evidence
}

func newSiteVotes(records []eventseer.Event, home string, out eventseer.Event) *siteVotes {
	b := &siteVotes{records: records, home: home, out: out, sources: map[string]eventseer.Provenance{}}
	maps.Copy(b.sources, out.Sources)
	return b
}

// chooseField sets a field to the value with most votes, taken from the record with the greatest weight. Values
// with the same key count as one. take copies the value. It returns false if no record has a value.
func (b *siteVotes) chooseField(field string, key func(*eventseer.Event) string, take func(out, e *eventseer.Event)) bool {
	former := b.formerValues(field)
	votes, surest := map[string]float64{}, map[string]int{}
	best := ""
	for i := range b.records {
		e := &b.records[i]
		k := key(e)
		if k == "" || former[k] {
			continue
		}
		votes[k] += b.voteWeight(i, field)
		if field == "title" && text.FoldForComparison(e.Title) != k || field == "event_start" && daysOf(e) != k {
			continue // its vote is for the value of another page
		}
		if j, ok := surest[k]; !ok || b.voteWeight(i, field) > b.voteWeight(j, field) {
			surest[k] = i
		}
	}
	for k, v := range votes {
		if best == "" || v > votes[best] || v == votes[best] && surest[k] < surest[best] {
			best = k
		}
	}
	if best == "" {
		return false
	}
	e := &b.records[surest[best]]
	if was := valuesOf(b.out)[field]; was[0] != "" && (key(&b.out) != best || e.URL != provenanceOf(b.out, field).URL) {
		b.trail = append(b.trail, eventseer.Evidence{Field: field, Value: was[0], Source: withoutSnippet(provenanceOf(b.out, field)), Seen: b.out.LastSeen})
	}
	take(&b.out, e)
	b.sources[field] = provenanceOf(*e, field)
	return true
}

// formerValues returns the values of a field that a page of the site stated and then changed.
func (b *siteVotes) formerValues(field string) map[string]bool {
	former := map[string]bool{}
	for i := range b.records {
		for _, f := range b.records[i].Trail {
			if f.Field == field {
				former[f.Value] = true
			}
		}
	}
	return former
}

func withoutSnippet(p eventseer.Provenance) eventseer.Provenance {
	p.Snippet = ""
	return p
}

// chooseTopics takes the topics of one page: the one with the most topics, weighted by confidence. Pages that are
// not calls may list other things. Pages of other calls than the main one are used only if there is no other
// page. The home page has no additional weight, because it often lists areas and benefits.
func (b *siteVotes) chooseTopics() {
	var most float64
	other := true
	for i := range b.records {
		e := &b.records[i]
		sure := cmp.Or(e.Sources["topics"].Confidence, unmeasured)
		n, ofOther := sure*sure*float64(min(len(e.Topics), maxTopicVotes)), eventseer.OtherCallOnly(b.out.Calls, e.URL)
		if eventseer.IsRelated(*e) {
			n *= sideTopics
		}
		if n > 0 && (other && !ofOther || other == ofOther && n > most) {
			other = ofOther
			most = n
			b.out.Topics, b.sources["topics"] = e.Topics, provenanceOf(*e, "topics")
		}
	}
}

// A committee is sure if its confidence is sureCommittee and it has leastCommittee people, or more. The values were
// chosen on work sites. There, thresholds from 0.8 to 0.9 and from one to eight people improve the committee.
const (
	sureCommittee  = 0.85
	leastCommittee = 3
)

// maxUncertain is the maximum number of people of an uncertain list on a side page. Longer ones name speakers or
// participants: very long lists of committees are sure.
const maxUncertain = 100

// chooseCommittee removes people of uncertain lists on side pages. It does so if the list is long, or if another
// page has a sure list without them. They are mostly speakers and authors of a programme.
func (b *siteVotes) chooseCommittee() {
	hasSure := slices.ContainsFunc(b.records, func(e eventseer.Event) bool {
		return e.Sources["committee"].Confidence >= sureCommittee && len(e.Committee) >= leastCommittee
	})
	isUncertain := func(e *eventseer.Event) bool {
		sure := e.Sources["committee"].Confidence
		return eventseer.IsRelated(*e) && sure > 0 && sure < sureCommittee && (hasSure || len(e.Committee) > maxUncertain)
	}
	if !hasSure && !slices.ContainsFunc(b.records, func(e eventseer.Event) bool { return isUncertain(&e) }) {
		return
	}
	key := func(p eventseer.Person) string { return text.FoldForComparison(p.Name) }
	uncertain := map[string]bool{}
	var longest *eventseer.Event
	kept := b.out.Committee
	for i := range b.records {
		e := &b.records[i]
		if isUncertain(e) {
			for _, p := range e.Committee {
				uncertain[key(p)] = true
			}
			continue
		}
		kept = appendNew(kept, e.Committee, eventseer.MaxCommittee, key) // an earlier choice may have removed some
		if longest == nil || len(e.Committee) > len(longest.Committee) {
			longest = e
		}
	}
	for i := range b.records {
		if e := &b.records[i]; !isUncertain(e) {
			for _, p := range e.Committee {
				delete(uncertain, key(p))
			}
		}
	}
	b.out.Committee = slices.DeleteFunc(slices.Clone(kept), func(p eventseer.Person) bool { return uncertain[key(p)] })
	if delete(b.sources, "committee"); longest != nil && len(b.out.Committee) > 0 {
		b.sources["committee"] = provenanceOf(*longest, "committee")
	}
}

// voteWeight returns the weight of record i in the votes on a field.
func (b *siteVotes) voteWeight(i int, field string) float64 {
	e := &b.records[i]
	sure := cmp.Or(e.Sources[field].Confidence, unmeasured)
	if e.URL == b.home {
		return homeVotes * sure * sure
	}
	return sure * sure
}

// How the topics of a page are weighed.
const (
	maxTopicVotes = 25  // maximum number that count
	sideTopics    = 0.4 // weight of a page that is not a call; from 0.2 to 0.5 the topics of work sites are the same
)

// unmeasured is the confidence assumed for values whose rules were not measured.
const unmeasured = .5

// homeOf returns the URL of the page at the top of the folder that all pages share. It returns "" if that
// page is not among them.
func homeOf(records []eventseer.Event) string {
	folder := records[0].URL
	for _, e := range records {
		for !strings.HasPrefix(e.URL, folder) {
			folder = folder[:strings.LastIndexByte(strings.TrimSuffix(folder, "/"), '/')+1]
		}
	}
	folder = folder[:strings.LastIndexByte(folder, '/')+1]
	home := ""
	for _, e := range records {
		rest, ok := strings.CutPrefix(e.URL, folder)
		if name := strings.TrimSuffix(rest, path.Ext(rest)); ok && (rest == "" || home == "" && (name == "index" || name == "home" || name == "default")) {
			home = e.URL
		}
	}
	return home
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
