package app

import "runtime/debug"

// Version is the release; builds from a checkout add the commit.
const Version = "0.8.0"

// Commit is the revision the program was built from, or "".
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

// FullVersion returns the release with the first digits of the commit.
func FullVersion() string {
	if c := Commit(); len(c) >= 12 {
		return Version + "+" + c[:12]
	}
	return Version
}
