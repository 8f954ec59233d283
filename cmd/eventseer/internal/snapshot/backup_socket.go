package snapshot

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/internal/bolt"
)

// BackupPath is where a running process gives a backup at its admin socket.
const BackupPath = "/backup"

// BackupHandler answers with a backup of the data directory as a tar file. open returns,
// by their names in the directory, the databases that this process has open, and what
// lets it close or open others again, which is called when the backup is written. It is
// for the operator, who has the rights of this user: who asks otherwise than at a Unix
// socket is refused, since a backup holds the addresses of readers.
func BackupHandler(a *app.App, open func() (sources map[string]bolt.Source, release func())) http.Handler {
	busy := make(chan struct{}, 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, socket := r.Context().Value(http.LocalAddrContextKey).(*net.UnixAddr); !socket {
			http.Error(w, "a backup is given at the admin socket of the data directory only", http.StatusForbidden)
			return
		}
		select {
		case busy <- struct{}{}:
			defer func() { <-busy }()
		default:
			http.Error(w, "another backup is being made", http.StatusConflict)
			return
		}
		sources, release := open()
		defer release()
		w.Header().Set("Content-Type", "application/x-tar")
		answer := &begun{ResponseWriter: w}
		m, err := WriteBackup(r.Context(), a, answer, a.Config.Data, sources)
		switch {
		case err == nil:
			a.Logger().Info("backup", "files", len(m.Files), "bytes", m.bytes())
		case answer.begun:
			a.Logger().Warn("backup", "err", err)
			panic(http.ErrAbortHandler) // who asked must not take it for whole
		default:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}

// begun knows whether anything was answered.
type begun struct {
	http.ResponseWriter
	begun bool
}

func (b *begun) Write(p []byte) (int, error) {
	b.begun = true
	return b.ResponseWriter.Write(p)
}

// askBackup has the process that has dir open write a backup to w. A process of a
// version without backups, or without an admin socket, gives none.
func askBackup(ctx context.Context, w io.Writer, dir string) error {
	resp, err := admin.DialAdmin(ctx, dir, BackupPath)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the process that has %s open gives no backup: %s", dir, admin.FirstLineOf(resp.Body))
	}
	// An error that comes later cuts the answer off, and so does the end of the process.
	if _, err := io.Copy(w, resp.Body); err != nil {
		return fmt.Errorf("backup from the process that has %s open: %w", dir, err)
	}
	return nil
}
