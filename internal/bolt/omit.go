//go:build !measure

package bolt

// OmitChecksums is false: every file that this program makes has checksums.
const OmitChecksums = false
