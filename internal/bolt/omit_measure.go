//go:build measure

package bolt

// OmitChecksums makes Seal do nothing, so that new files have no checksums. It exists only under
// the tag measure, to compare costs, and is not safe for concurrent use.
var OmitChecksums bool
