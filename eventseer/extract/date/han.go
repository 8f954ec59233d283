package date

import (
	"strings"
	"unicode/utf8"
)

// hanDigits are the digits of Chinese, by value; ten is 十.
const hanDigits = "〇一二三四五六七八九十零"

func hanDigit(r rune) bool { return r >= '〇' && strings.ContainsRune(hanDigits, r) }

// maxHanDigits is how many signs a year or a day has at most.
const maxHanDigits = 4

// hanNumber reads a number of a date in Chinese signs at the start of s, as the three
// of 二〇二七年十二月三日, into t: its end is then the number of bytes. It reports false
// where no sign of a date follows, for the same signs begin many words.
func hanNumber(t *token, s string) bool {
	var value, n int
	digits, at := 0, 0
	for at < len(s) {
		r, w := utf8.DecodeRuneInString(s[at:])
		if !hanDigit(r) || n == maxHanDigits {
			break
		}
		d := strings.Index(hanDigits, string(r)) / len("一")
		switch {
		case d == 11:
			d = 0
			fallthrough
		case d < 10 && digits == n:
			value = 10*value + d
			digits++
		case d < 10: // behind a ten
			value += d
		case value == 0:
			value = 10
		default:
			value *= 10
		}
		n++
		at += w
	}
	rest := strings.TrimLeft(s[at:], " ")
	if n == 0 || !strings.HasPrefix(rest, "年") && !strings.HasPrefix(rest, "月") && !strings.HasPrefix(rest, "日") && !strings.HasPrefix(rest, "號") && !strings.HasPrefix(rest, "号") {
		return false
	}
	t.kind, t.num, t.end = number, value, at
	for t.digits = 1; value >= 10; value /= 10 {
		t.digits++
	}
	return true
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// eraYear returns the year at token i, also of the eras of Japan and of the
// Republic of China, else 0.
func (r Reader) eraYear(i int) int {
	t := r.tok(i)
	switch {
	case t.digits == 4:
		return t.num
	case r.is(i-2, "令") && r.is(i-1, "和"):
		return 2018 + t.num // 元 is no number and counts 0
	case r.is(i-2, "平") && r.is(i-1, "成"):
		return 1988 + t.num
	case r.is(i-2, "民") && r.is(i-1, "國", "国"), t.republican():
		return 1911 + t.num
	}
	return 0
}

// republican reports whether a number may be a year of the Republic of China, which
// have had three digits since 2011.
func (t token) republican() bool {
	return t.kind == number && t.digits == 3 && t.num >= 100 && t.num < 160
}

// firstYearSign reads the 元 of 令和元年, the first year of an era.
func (r Reader) firstYearSign(i int) bool {
	return r.is(i, "元") && (r.is(i-2, "令") && r.is(i-1, "和") || r.is(i-2, "平") && r.is(i-1, "成"))
}
