package name

import (
	"slices"
	"strings"
)

var (
	nHost   = newTabulated("name host", 700)
	tplHost = newTemplate("acronym host")
)

// A hostView is a host with the data that features need.
type hostView struct {
	Host
	words []uint32 // hashes of its chunks
	mask  uint64
	lows  []string // chunks that may be an acronym, as letters in lower case without the year
}

// readHosts sets hosts from the hosts of the page.
func (d *document) readHosts() {
	for _, h := range d.Hosts {
		v := hostView{Host: h}
		for _, c := range splitChunks(nil, h.Text) {
			v.words = append(v.words, c.hash)
			v.mask |= 1 << (c.hash & 63)
			if c.hasForm(allCapitals|innerCapital|digits) && !c.hasForm(year) && c.to-c.from <= 2*maxAcronym {
				v.lows = append(v.lows, lettersAndDigits(trimYear(h.Text[c.from:c.to])))
			}
		}
		d.hosts = append(d.hosts, v)
	}
}

// The relations of a candidate to a host of its page, as bits.
const (
	isHost     = 1 << iota // it has the words of a host
	inHost                 // it is part of a host's name
	holdsHost              // it contains a host's name
	beforeHost             // it is before a host in the same text, or in the line before it
	isPart                 // it names a part of an event: a workshop, a special issue
)

// A hostRelations is the relation of a candidate to the hosts of a page: to all of them together, and to
// those of each HostWording.
type hostRelations struct {
	all       uint32
	byWording [numWordings]uint32
}

// relationsToHosts returns the relation of a candidate to the hosts.
func (d *document) relationsToHosts(c *candidate) (s hostRelations) {
	t := &d.texts[c.text]
	for i := range d.hosts {
		h := &d.hosts[i]
		how := uint32(0)
		if h.mask&c.mask != 0 {
			switch {
			case SharedWords(c.words, h.words) >= sameName:
				how |= isHost
			case isPartOf(c.words, h.words):
				how |= inHost
			case isPartOf(h.words, c.words):
				how |= holdsHost
			}
		}
		if how == 0 && (h.Block == t.block && c.end <= h.From || t.block >= 0 && h.Block == t.last+1) {
			how = beforeHost
		}
		s.all, s.byWording[h.Wording] = s.all|how, s.byWording[h.Wording]|how
	}
	if d.Part != nil && d.Part(c.s) {
		s.all |= isPart
	}
	return s
}

// readHostRelations sets the relation of each candidate to the hosts.
func (v *pageView) readHostRelations(list []*candidate) {
	if len(v.hosts) == 0 {
		return
	}
	n, _ := v.hostsWith(v.keyLow)
	v.hostHasKey = n > 0
	for _, c := range list {
		c.relations = v.relationsToHosts(c)
		v.hasIndependentPart = v.hasIndependentPart || c.relations.all&(isPart|isHost|inHost|holdsHost) == isPart && len(c.words) > 3
	}
}

// hostValue is the value of all features about hosts. It is above 1 because few pages have hosts and
// regularisation keeps the weights of rare features small.
const hostValue = 3

// addHostFeatures adds features of the relation of a candidate to the hosts. size is the number of its words.
func (v *pageView) addHostFeatures(b *builder, c *candidate, size uint32) {
	if len(v.hosts) == 0 {
		return
	}
	all := c.relations.all
	b.addWeighted(nHost, all, hostValue)
	for i, bit := range []uint32{isHost, inHost, holdsHost, beforeHost, isPart} {
		if all&bit != 0 {
			b.addWeighted(nHost, 100+uint32(i), hostValue)
			b.addWeighted(nHost, 200+uint32(i)<<3|min(size, 6), hostValue)
		}
	}
	for w, how := range c.relations.byWording {
		if how != 0 {
			b.addWeighted(nHost, 300+uint32(w)<<4|how, hostValue)
		}
	}
	if v.hostHasKey {
		b.addWeighted(nHost, 500+all, hostValue)
	}
	if v.hasIndependentPart { // a name of no part then has a competing candidate that names one
		b.addWeighted(nHost, 600+all, hostValue)
		if all&isPart == 0 {
			b.addWeighted(nHost, 650, hostValue)
		}
		if all&(isHost|inHost) != 0 {
			b.addWeighted(nHost, 651, hostValue)
		}
		if all&holdsHost != 0 {
			b.addWeighted(nHost, 652, hostValue)
		}
	}
}

// hostsWith returns the number of hosts whose names contain an acronym, and a bit for each kind of relation
// of these hosts.
func (d *document) hostsWith(low string) (n int, ways uint32) {
	for i := range d.hosts {
		if slices.Contains(d.hosts[i].lows, low) {
			n++
			ways |= 1 << d.hosts[i].Wording
		}
	}
	return n, ways
}

// addHostedFeatures adds features of an acronym that compare it with the names of hosts.
func (d *document) addHostedFeatures(b *builder, a *acronym) {
	if len(d.hosts) == 0 {
		return
	}
	n, ways := d.hostsWith(a.low)
	own := a.countAll() - n
	b.add(tplHost, uint32(oneIfTrue(n > 0)))
	if n == 0 {
		b.add(tplHost, 10+uint32(oneIfTrue(a.withYear > 0))<<1|uint32(oneIfTrue(a.spelt > 0)))
		return
	}
	for w := range numWordings {
		if ways&(1<<w) != 0 {
			b.add(tplHost, 20+uint32(w))
		}
	}
	b.add(tplHost, 30+bitLength(own, 4))
	b.add(tplHost, 40+uint32(oneIfTrue(a.spelt > 0))<<1|uint32(oneIfTrue(a.inOwnAddress)))
	b.add(tplHost, 50+uint32(oneIfTrue(a.counts[element] > 0))<<1|uint32(oneIfTrue(a.counts[heading] > 0)))
}

// hostedTitle returns three bits about a title: the page has hosts, the title names a part of an event, the
// title contains a host's name. It returns 0 for a page without hosts.
func (d *document) hostedTitle(title string) uint32 {
	if len(d.hosts) == 0 {
		return 0
	}
	out := uint32(1)
	if d.Part != nil && d.Part(title) {
		out |= 2
	}
	low := lettersAndDigits(title)
	for i := range d.hosts {
		if strings.Contains(low, lettersAndDigits(d.hosts[i].Text)) {
			out |= 4
		}
	}
	return out
}
