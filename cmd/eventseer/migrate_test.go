package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"

	"go.etcd.io/bbolt"
)

// olden makes the store of a data directory one of version 3, before series.
func olden(t *testing.T, dir string) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, app.StoreFile), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		if err := unseal(tx); err != nil {
			return err
		}
		for _, name := range []string{"news", "series", "edition", "note", "notedone", "noteid", "vote", "correction", "corrected", "correctpage", "curated", "evidence"} {
			if err := tx.DeleteBucket([]byte(name)); err != nil {
				return err
			}
		}
		return tx.Bucket([]byte("meta")).Put([]byte("version"), []byte{0, 0, 0, 3})
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// unseal makes a file one without checksums, as all were before them.
func unseal(tx *bbolt.Tx) error {
	if err := tx.DeleteBucket([]byte("sums")); err != nil {
		return err
	}
	return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
		values := map[string][]byte{}
		if err := b.ForEach(func(k, v []byte) error { values[string(k)] = bytes.Clone(v[:len(v)-8]); return nil }); err != nil {
			return err
		}
		for k, v := range values {
			if err := b.Put([]byte(k), v); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestMigrate(t *testing.T) {
	dir := backupData(t)
	olden(t, dir)
	before, err := os.ReadFile(filepath.Join(dir, app.StoreFile))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	said := output(t, 0, "migrate", "--dry-run", "--data", dir)
	if !strings.Contains(said, "store.db: version 3 can be migrated to 12; nothing is changed") {
		t.Errorf("said %q", said)
	}
	after, err := os.ReadFile(filepath.Join(dir, app.StoreFile))
	if err != nil || string(before) != string(after) {
		t.Errorf("a dry run changed the store: %v", err)
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if said := output(t, 0, "migrate", "--data", dir); !strings.Contains(said, "store.db: migrated from version 3 to 12") {
		t.Errorf("said %q", said)
	}
	if _, err := os.Stat(filepath.Join(dir, app.StoreFile+".v3.backup")); err != nil {
		t.Error(err)
	}
	if said := output(t, 0, "migrate", "--data", dir); !strings.Contains(said, "store.db: version 12, the current one") {
		t.Errorf("said %q", said)
	}
	output(t, 0, "check", "--data", dir)
	output(t, exitNoData, "migrate", "--data", filepath.Join(dir, "none"))
}

// A backup of a directory of an older version is restored and brought up to date.
func TestRestoreOldBackup(t *testing.T) {
	t.Parallel()
	dir, out := backupData(t), t.TempDir()
	olden(t, dir)
	file, data := filepath.Join(out, "b.tar.gz"), filepath.Join(out, "data")
	output(t, 0, "backup", "create", file, "--data", dir)
	output(t, 0, "backup", "restore", file, "--data", data)
	output(t, 0, "check", "--data", data)
	if said := output(t, 0, "migrate", "--data", data); strings.Contains(said, "brought") {
		t.Errorf("said %q", said)
	}
}

// A store of a newer program is not changed.
func TestMigrateNewer(t *testing.T) {
	dir := backupData(t)
	db, err := bbolt.Open(filepath.Join(dir, app.StoreFile), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		if err := unseal(tx); err != nil {
			return err
		}
		return tx.Bucket([]byte("meta")).Put([]byte("version"), []byte{0, 0, 0, 99})
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	output(t, exitIncompatible, "migrate", "--data", dir)
}
