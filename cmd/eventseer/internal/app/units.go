package app

import (
	"encoding"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is a time.Duration that also accepts days: "90d".
type Duration time.Duration

var _ encoding.TextUnmarshaler = (*Duration)(nil)

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := parseDuration(string(text))
	*d = Duration(v)
	return err
}

// Set implements pflag.Value.
func (d *Duration) Set(s string) error { return d.UnmarshalText([]byte(s)) }

// Type implements pflag.Value.
func (d *Duration) Type() string { return "duration" }

// String returns the duration in the form that users write: "90d", "5m".
func (d *Duration) String() string {
	const day = 24 * time.Hour
	v := time.Duration(*d)
	if v > day && v%day == 0 {
		return strconv.FormatInt(int64(v/day), 10) + "d"
	}
	text := v.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func parseDuration(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || n < 0 || n > 36500 {
			return 0, fmt.Errorf("%q is not a number of days", s)
		}
		return time.Duration(n * 24 * float64(time.Hour)), nil
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		return 0, fmt.Errorf("%q is not a duration such as 90d, 12h or 30s", s)
	}
	return v, nil
}

// listFlag is a flag with a list separated by commas; a repeated flag adds to it.
type listFlag string

// String implements pflag.Value.
func (l *listFlag) String() string { return string(*l) }

// Type implements pflag.Value.
func (l *listFlag) Type() string { return "list" }

// Set implements pflag.Value.
func (l *listFlag) Set(text string) error {
	if *l != "" {
		text = string(*l) + "," + text
	}
	*l = listFlag(text)
	return nil
}

// SplitList returns the parts of a list separated by commas, without blanks around them.
func SplitList(list string) (parts []string) {
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// Size is a number of bytes, such as 100MB.
type Size int64

var _ encoding.TextUnmarshaler = (*Size)(nil)

// sizeUnits are the units of sizes, the largest first.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}, {"", 1}}

// UnmarshalText implements encoding.TextUnmarshaler.
func (z *Size) UnmarshalText(text []byte) error {
	for _, u := range sizeUnits {
		number, ok := strings.CutSuffix(string(text), u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/u.bytes {
			break
		}
		*z = Size(n * u.bytes)
		return nil
	}
	return fmt.Errorf("%q is not a size such as 100MB or 1GB", text)
}

// String writes the size in the largest unit that fits.
func (z *Size) String() string {
	for _, u := range sizeUnits {
		if n := int64(*z); n%u.bytes == 0 && n != 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return "0"
}

// A Secret is text that is used and never shown.
type Secret string

// String only reveals whether there is a secret.
func (s *Secret) String() string {
	if *s == "" {
		return ""
	}
	return "(set)"
}
