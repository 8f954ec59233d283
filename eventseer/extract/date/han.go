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

// hanNumber reads a number of a date in Chinese characters at the start of s into t, as the three
// of 二〇二七年十二月三日. Its end is then the number of bytes. It reports false where no sign of a date
// follows, for the same signs begin many words.
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
		case d < 10: // after a ten
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
