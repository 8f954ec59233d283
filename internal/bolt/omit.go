//go:build !measure

package bolt

// OmitChecksums is false: every file that this program creates has checksums.
const OmitChecksums = false
