package date

import (
	"strings"
	"unicode/utf8"
)

// hanDigits are the Chinese digits in the order of their values from 0 to 9, then 十 (ten) and another zero.
const hanDigits = "〇一二三四五六七八九十零"

func isHanDigit(r rune) bool { return r >= '〇' && strings.ContainsRune(hanDigits, r) }

// maxHanDigits is the maximum number of characters of a year or day.
const maxHanDigits = 4

// readHanNumber reads the number of a date in Chinese characters at the start of s into t, such as the three
// numbers of 二〇二七年十二月三日. t.end is then the length of the number in bytes. It reports false unless a
// character for year, month or day follows, because many words begin with the same characters.
func readHanNumber(t *token, s string) bool {
	var value, n int
	digits, at := 0, 0
	for at < len(s) {
		r, w := utf8.DecodeRuneInString(s[at:])
		if !isHanDigit(r) || n == maxHanDigits {
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
