//go:build measure

package bolt

// OmitChecksums makes Seal do nothing, so that new files have no checksums. It exists only with the build
// tag measure, to compare costs, and is not safe for concurrent use.
var OmitChecksums bool
