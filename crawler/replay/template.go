package replay

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// maxYear is the last year of an endless calendar; nobody crawls so far.
const maxYear = 9999

// A month is a page of a calendar.
type month struct{ year, month int }

func parseMonth(year, m string) (month, bool) {
	y, err1 := strconv.Atoi(year)
	n, err2 := strconv.Atoi(m)
	return month{y, n}, err1 == nil && err2 == nil && 1 <= y && y <= maxYear && 1 <= n && n <= 12
}

// add returns the month n months later.
func (m month) add(n int) month {
	total := m.year*12 + m.month - 1 + n
	return month{total / 12, total%12 + 1}
}

// A template is text with placeholders between double braces:
//
//	RANDOM:1-9999    a number of that range, by chance but always the same at one URL
//	Y, M             the calendar page's year and month
//	PREV_Y, PREV_M   those of the month before
//	NEXT_Y, NEXT_M   those of the month after
//	Y+1, Y-1, …      the year so many years away
type template []func(*strings.Builder, *rand.Rand, month)

var (
	placeholder = regexp.MustCompile(`\{\{([^{}]*)\}\}`)
	randomRange = regexp.MustCompile(`^RANDOM:(\d{1,9})-(\d{1,9})$`)
	yearOffset  = regexp.MustCompile(`^Y([+-]\d{1,4})$`)
)

func parseTemplate(text string, calendar bool) (template, error) {
	var t template
	literal := func(s string) {
		t = append(t, func(b *strings.Builder, _ *rand.Rand, _ month) { b.WriteString(s) })
	}
	done := 0
	for _, at := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		literal(text[done:at[0]])
		done = at[1]
		value, err := parsePlaceholder(text[at[2]:at[3]], calendar)
		if err != nil {
			return nil, err
		}
		t = append(t, func(b *strings.Builder, r *rand.Rand, m month) {
			b.WriteString(strconv.Itoa(value(r, m)))
		})
	}
	literal(text[done:])
	return t, nil
}

func parsePlaceholder(name string, calendar bool) (func(*rand.Rand, month) int, error) {
	if r := randomRange.FindStringSubmatch(name); r != nil {
		low, _ := strconv.Atoi(r[1]) // nine digits at most
		high, _ := strconv.Atoi(r[2])
		if low > high {
			return nil, fmt.Errorf("template: {{%s}} is an empty range", name)
		}
		return func(r *rand.Rand, _ month) int { return low + r.IntN(high-low+1) }, nil
	}
	if calendar {
		if y := yearOffset.FindStringSubmatch(name); y != nil {
			n, _ := strconv.Atoi(y[1]) // four digits at most
			return func(_ *rand.Rand, m month) int { return m.year + n }, nil
		}
		switch name {
		case "Y":
			return func(_ *rand.Rand, m month) int { return m.year }, nil
		case "M":
			return func(_ *rand.Rand, m month) int { return m.month }, nil
		case "PREV_Y":
			return func(_ *rand.Rand, m month) int { return m.add(-1).year }, nil
		case "PREV_M":
			return func(_ *rand.Rand, m month) int { return m.add(-1).month }, nil
		case "NEXT_Y":
			return func(_ *rand.Rand, m month) int { return m.add(1).year }, nil
		case "NEXT_M":
			return func(_ *rand.Rand, m month) int { return m.add(1).month }, nil
		}
	}
	return nil, fmt.Errorf("template: placeholder {{%.40s}} is unknown here", name)
}

// execute fills the placeholders in. Chance depends on the URL alone.
func (t template) execute(url string, m month) string {
	sum := sha256.Sum256([]byte(url))
	r := rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])))
	var b strings.Builder
	for _, part := range t {
		part(&b, r, m)
	}
	return b.String()
}
