package features

// A dateCounts counts the dates and years of a text from its tokens.
type dateCounts struct {
	dates, due int    // number of dates, and of dates near a word for something due
	years      uint64 // bit i means that the year firstYear+i is mentioned
	mentions   [lastYear - firstYear + 1]int32

	tokens              int // so far
	lastMonth, lastDay  int // token numbers, 0 for none yet
	lastDue, lastDate   int
	numbers, yearsAmong int // of the current run of numbers joined by / - or .
	inBlock, dueInBlock bool
}

// near is the maximum number of tokens between a date and a word for something due, such as "deadline".
const near = 15

// addWord counts a word.
func (c *dateCounts) addWord(w *word) {
	c.tokens++
	c.numbers = 0
	if w.class&month != 0 {
		c.lastMonth = c.tokens
		if c.lastDay > 0 && c.tokens-c.lastDay <= 2 {
			c.addDate()
		}
	}
	if w.class&dueWord != 0 {
		if c.lastDate > 0 && c.tokens-c.lastDate <= near/2 && c.lastDue < c.lastDate {
			c.due++
		}
		c.lastDue, c.dueInBlock = c.tokens, true
	}
}

// addNumber counts a number: as a year, as the day next to a month, or as part of a date such as
// 2026-05-01.
func (c *dateCounts) addNumber(t token) {
	c.tokens++
	if isYear(t.number) {
		c.years |= 1 << (t.number - firstYear)
		c.mentions[t.number-firstYear]++
	}
	if !t.joined {
		c.numbers, c.yearsAmong = 0, 0
	}
	c.numbers++
	if isYear(t.number) {
		c.yearsAmong++
	}
	if c.numbers == 3 && c.yearsAmong == 1 {
		c.addDate()
	}
	if t.number >= 1 && t.number <= 31 {
		c.lastDay = c.tokens
		if c.lastMonth > 0 && c.tokens-c.lastMonth == 1 {
			c.addDate()
		}
	}
}

// addDate counts a date, and whether it is near a word for something due.
func (c *dateCounts) addDate() {
	if c.lastDate > 0 && c.tokens-c.lastDate <= 2 {
		return // the same date
	}
	c.dates++
	c.inBlock = true
	if c.lastDue > 0 && c.tokens-c.lastDue <= near {
		c.due++
	}
	c.lastDate = c.tokens
}

// endBlock ends a block; a date cannot continue in the next one. It reports whether the block had a
// date, and a word for something due.
func (c *dateCounts) endBlock() (date, due bool) {
	date, due = c.inBlock, c.dueInBlock
	c.inBlock, c.dueInBlock = false, false
	c.lastMonth, c.lastDay, c.lastDate = 0, 0, 0
	c.tokens += 2
	return date, due
}

// yearMentions returns how often any year is mentioned, and the one mentioned most.
func (c *dateCounts) yearMentions() (all, most int) {
	for _, n := range c.mentions {
		all += int(n)
		most = max(most, int(n))
	}
	return all, most
}
