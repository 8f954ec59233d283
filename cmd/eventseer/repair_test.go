package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/snapshot"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/nightly"

	"go.etcd.io/bbolt"
)

// valuesOf reads all values of a database with plain bbolt, by bucket and key.
func valuesOf(t *testing.T, path string) map[string]string {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	values := map[string]string{}
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error { values[string(name)+"\x00"+string(k)] = string(v); return nil })
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// Every value of a damaged database is recovered unchanged, or reported as lost or unproven. The result is
// undamaged, and the damaged file is kept.
func TestRepair(t *testing.T) {
	t.Parallel()
	n := 60
	if nightly.Enabled() {
		n = 1000
	}
	dir, earlier := grownDatabases(t)
	out := t.TempDir()
	whole := map[string]map[string]string{}
	for _, c := range snapshot.Checked {
		whole[c.File] = valuesOf(t, filepath.Join(dir, c.File))
	}
	count := map[string]map[string]int{}
	for _, c := range makeDamaged(t, dir, earlier, out, n) {
		if count[c.damage] == nil {
			count[c.damage] = map[string]int{}
		}
		of := count[c.damage]
		of["copies"]++
		path := filepath.Join(c.dir, c.file)
		damaged, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		a := newTestApp(t)
		a.Stdout = &said
		failed := snapshot.RepairDatabases(t.Context(), a, c.dir)
		kept, _ := filepath.Glob(path + ".damaged-*")
		switch {
		case failed != nil:
			of["nothing recovered"]++
			if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, damaged) || len(kept) > 0 {
				t.Errorf("%s, %s: the file is not left as it was: %v; %v", c.file, c.damage, failed, err)
			}
			continue
		case len(kept) == 0:
			of["harmless"]++
			continue
		}
		if was, err := os.ReadFile(kept[0]); err != nil || !bytes.Equal(was, damaged) {
			t.Errorf("%s, %s: the damaged file is not kept as it was: %v", c.file, c.damage, err)
		}
		if problems, err := bolt.CheckFile(path); err != nil || len(problems) > 0 {
			t.Errorf("%s, %s: after the repair: %v, %v", c.file, c.damage, problems, err)
		}
		lost, other := compareValues(whole[c.file], valuesOf(t, path))
		told := strings.Contains(said.String(), "bucket ") || strings.Contains(said.String(), "an earlier state")
		if (lost > 0 || other > 0) && !told {
			t.Errorf("%s, %s: %d values lost, %d others, and it said %s", c.file, c.damage, lost, other, &said)
		}
		if other == 0 && !strings.Contains(said.String(), "an earlier state") && !strings.Contains(said.String(), "does not record what") &&
			!strings.Contains(said.String(), fmt.Sprintf(" recovered, %d lost;", lost)) {
			t.Errorf("%s, %s: %d values lost, and it said %s", c.file, c.damage, lost, &said)
		}
		of["lost values"] += lost
		of["older values"] += other
		of["values"] += len(whole[c.file])
		if lost == 0 && other == 0 {
			of["complete"]++
		}
		t.Logf("%s, %s: lost %d, other %d of %d: %s", c.file, c.damage, lost, other, len(whole[c.file]), said.String())
		if broken, err := snapshot.CheckDir(t.Context(), a, c.dir); err != nil {
			t.Errorf("%s, %s: the repaired file cannot be used: %v", c.file, c.damage, err)
		} else if broken > 0 {
			of["with dangling references"]++
			t.Logf("%s", said.String())
		}
	}
	for _, how := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%-24s %v", how, count[how])
	}
}

// compareValues counts the values that are missing from got, and those that are not the ones wanted. Sums
// are not values.
func compareValues(want, got map[string]string) (lost, other int) {
	for key, value := range want {
		v, ok := got[key]
		switch {
		case strings.HasPrefix(key, "sums\x00"):
		case !ok:
			lost++
		case v != value:
			other++
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			other++
		}
	}
	return lost, other
}

// The command repairs, and names the losses and the newest good backup. The directory can be searched
// afterwards.
func TestRepairCommand(t *testing.T) {
	t.Parallel()
	dir, out := backupData(t), t.TempDir()
	good, bad := filepath.Join(out, "good.tar.zst"), filepath.Join(out, "bad.tar.zst")
	output(t, 0, "backup", "create", good, "--data", dir)
	output(t, 0, "backup", "create", bad, "--data", dir)
	if err := os.WriteFile(bad, []byte("no backup any more"), 0o600); err != nil {
		t.Fatal(err)
	}
	key := overwriteStored(t, filepath.Join(dir, app.StoreFile), "event")
	output(t, 1, "check", "--data", dir)
	code, said, talk := runCaptured(t, "check", "--repair", "--data", dir)
	for _, part := range []string{"store.db: repaired: ", ", 1 lost; the damaged file is kept as store.db.damaged-", fmt.Sprintf("bucket event: lost: %q", key), "the newest good backup: " + good + ";"} {
		if !strings.Contains(said, part) {
			t.Errorf("no %q in %s%s", part, said, talk)
		}
	}
	if code != 1 { // what referred to the lost event is named
		t.Errorf("exit code %d: %s", code, said)
	}
	if found := output(t, 0, "find", "--data", dir, "--format", "jsonl", "--all", "web"); strings.Contains(found, key) || found == "" {
		t.Errorf("after the repair it finds %q", found)
	}
}

// overwriteStored changes the value of the last key of a bucket, wherever it is in the file. No copy remains
// that could be recovered. It returns the key.
func overwriteStored(t *testing.T, path, bucket string) (key string) {
	t.Helper()
	data, err := os.ReadFile(path)
	copied := filepath.Join(t.TempDir(), filepath.Base(path)) // a process may have the file open
	if err == nil {
		err = os.WriteFile(copied, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	key, value := lastValue(t, copied, bucket)
	record := []byte(key + value)
	if !bytes.Contains(data, record) {
		t.Fatalf("the file does not hold %q", record)
	}
	changed := bytes.Clone(record)
	changed[len(key)+len(value)/2] ^= 1
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.Write(bytes.ReplaceAll(data, record, changed))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// lastValue returns the last key of a bucket and its value as it is stored.
func lastValue(t *testing.T, path, bucket string) (key, value string) {
	t.Helper()
	for at, v := range valuesOf(t, path) {
		if name, k, _ := strings.Cut(at, "\x00"); name == bucket && k > key {
			key, value = k, v
		}
	}
	if key == "" {
		t.Fatalf("%s has no bucket %s with keys", path, bucket)
	}
	return key, value
}
