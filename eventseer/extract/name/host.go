package name

import (
	"slices"
	"strings"
)

var (
	nHost   = newTemplate("name host")
	tplHost = newTemplate("acronym host")
)

// A hostView is a host with what features ask of it.
type hostView struct {
	Host
	words []uint32 // hashes of its chunks
	mask  uint64
	lows  []string // letters of its chunks that may be an acronym, without years
}

// readHosts prepares the hosts of a page.
func (d *document) readHosts() {
	for _, h := range d.Hosts {
		v := hostView{Host: h}
		for _, c := range split(h.Text) {
			v.words = append(v.words, c.hash)
			v.mask |= 1 << (c.hash & 63)
			if c.is(shout|coined|digits) && !c.is(year) && c.to-c.from <= 2*maxAcronym {
				v.lows = append(v.lows, letters(trimYear(h.Text[c.from:c.to])))
			}
		}
		d.hosts = append(d.hosts, v)
	}
}

// How a candidate stands to the hosts of its page.
const (
	isHost     = 1 << iota // its words are those of a host
	inHost                 // it stands within one
	holdsHost              // and one within it
	beforeHost             // it is before one in the same text, or in the line before
	isPart                 // it is named as a part: a workshop, a special issue
)

// A stand is how a candidate stands to all hosts of a page, and to those of each way.
type stand struct {
	all  uint32
	ways [hostWays]uint32
}

// standOf returns how a candidate stands to the hosts.
func (d *document) standOf(c *candidate) (s stand) {
	t := &d.texts[c.text]
	for i := range d.hosts {
		h := &d.hosts[i]
		how := uint32(0)
		if h.mask&c.mask != 0 {
			switch {
			case SharedWords(c.words, h.words) >= sameName:
				how |= isHost
			case within(c.words, h.words):
				how |= inHost
			case within(h.words, c.words):
				how |= holdsHost
			}
		}
		if how == 0 && (h.Block == t.block && c.end <= h.From || t.block >= 0 && h.Block == t.last+1) {
			how = beforeHost
		}
		s.all, s.ways[h.Way] = s.all|how, s.ways[h.Way]|how
	}
	if d.Part != nil && d.Part(c.s) {
		s.all |= isPart
	}
	return s
}

// readStands reads how all candidates stand to the hosts.
func (v *pageView) readStands(list []*candidate) {
	if len(v.hosts) == 0 {
		return
	}
	n, _ := v.hostsBear(v.keyLow)
	v.keyHosted = n > 0
	for _, c := range list {
		c.stands = v.standOf(c)
		v.freePart = v.freePart || c.stands.all&(isPart|isHost|inHost|holdsHost) == isPart && len(c.words) > 3
	}
}

// hostValue is the value of the features from the names of hosts. Pages with hosts are few, and
// regularisation keeps the weights of few pages small.
const hostValue = 3

// hostFeatures are how a candidate stands to what the page says is larger than what is
// called for.
func (v *pageView) hostFeatures(b *builder, c *candidate, size uint32) {
	if len(v.hosts) == 0 {
		return
	}
	all := c.stands.all
	b.addTerm(nHost.of(all), hostValue)
	for i, bit := range []uint32{isHost, inHost, holdsHost, beforeHost, isPart} {
		if all&bit != 0 {
			b.addTerm(nHost.of(100+uint32(i)), hostValue)
			b.addTerm(nHost.of(200+uint32(i)<<3|min(size, 6)), hostValue)
		}
	}
	for w, how := range c.stands.ways {
		if how != 0 {
			b.addTerm(nHost.of(300+uint32(w)<<4|how), hostValue)
		}
	}
	if v.keyHosted {
		b.addTerm(nHost.of(500+all), hostValue)
	}
	if v.freePart { // then a name that is none stands against it
		b.addTerm(nHost.of(600+all), hostValue)
		if all&isPart == 0 {
			b.addTerm(nHost.of(650), hostValue)
		}
		if all&(isHost|inHost) != 0 {
			b.addTerm(nHost.of(651), hostValue)
		}
		if all&holdsHost != 0 {
			b.addTerm(nHost.of(652), hostValue)
		}
	}
}

// hostsBear returns how many hosts print an acronym, and bits for their ways.
func (d *document) hostsBear(low string) (n int, ways uint32) {
	for i := range d.hosts {
		if slices.Contains(d.hosts[i].lows, low) {
			n++
			ways |= 1 << d.hosts[i].Way
		}
	}
	return n, ways
}

// hostedFeatures are what the hosts of the page say of an acronym.
func (d *document) hostedFeatures(b *builder, a *acronym) {
	if len(d.hosts) == 0 {
		return
	}
	n, ways := d.hostsBear(a.low)
	own := a.total() - n
	b.add(tplHost, uint32(is(n > 0)))
	if n == 0 {
		b.add(tplHost, 10+uint32(is(a.withYear > 0))<<1|uint32(is(a.spelt > 0)))
		return
	}
	for w := range hostWays {
		if ways&(1<<w) != 0 {
			b.add(tplHost, 20+uint32(w))
		}
	}
	b.add(tplHost, 30+bucket(own, 4))
	b.add(tplHost, 40+uint32(is(a.spelt > 0))<<1|uint32(is(a.borne)))
	b.add(tplHost, 50+uint32(is(a.counts[element] > 0))<<1|uint32(is(a.counts[heading] > 0)))
}

// hostedTitle returns, as bits, whether the page has hosts. If so it adds whether a title is that
// of a part and whether it holds a host's name.
func (d *document) hostedTitle(title string) uint32 {
	if len(d.hosts) == 0 {
		return 0
	}
	out := uint32(1)
	if d.Part != nil && d.Part(title) {
		out |= 2
	}
	low := letters(title)
	for i := range d.hosts {
		if strings.Contains(low, letters(d.hosts[i].Text)) {
			out |= 4
		}
	}
	return out
}
