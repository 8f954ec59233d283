package datasets

import "strconv"

// powers are the powers of ten a float64 holds exactly.
var powers = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// maxMantissa is the largest integer below which a float64 holds all.
const maxMantissa = 1 << 53

// parseFloat is strconv.ParseFloat for the start of b: it returns the number
// and the bytes it takes, 0 if b starts with no number. A plain decimal whose
// digits and power of ten are both exact needs but one division (Clinger 1990);
// other numbers go to strconv, up to the next space.
func parseFloat(b []byte) (value float64, width int) {
	i, negative := 0, false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative, i = b[i] == '-', i+1
	}
	var mantissa uint64
	start, point := i, -1
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case '0' <= c && c <= '9' && mantissa < maxMantissa/10:
			mantissa = mantissa*10 + uint64(c-'0')
			continue
		case c == '.' && point < 0:
			point = i
			continue
		}
		break
	}
	if i < len(b) && !isSpace(b[i]) || i-start == 0 || point >= 0 && i-start == 1 {
		return parseSlow(b)
	}
	value = float64(mantissa)
	if point >= 0 {
		decimals := i - point - 1
		if decimals >= len(powers) {
			return parseSlow(b)
		}
		value /= powers[decimals]
	}
	if negative {
		value = -value
	}
	return value, i
}

func parseSlow(b []byte) (float64, int) {
	n := len(firstWord(b))
	value, err := strconv.ParseFloat(string(b[:n]), 64)
	if err != nil && value == 0 { // out of range is an infinity, which the caller refuses
		return 0, 0
	}
	return value, n
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }
