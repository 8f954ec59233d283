package publish

// Schema is the version of the files that this program writes.
func Schema() int { return len(migrations) }
