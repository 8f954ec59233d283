// Package cost measures memory and files for the programs of this module.
package cost

import (
	"io/fs"
	"path/filepath"
	"runtime"
)

// Heap returns the bytes in use on the heap after a garbage collection.
func Heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) // #nosec G115 -- far below the limit
}

// Disk returns the bytes of a file, or of all files below a folder.
func Disk(path string) (bytes int64, err error) {
	err = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}
