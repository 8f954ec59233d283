package begin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/internal/atomicfile"
	"github.com/eventseer/eventseer/internal/text"
)

// ErrNoConfig means that there is no config file.
var ErrNoConfig = errors.New("there is no config file")

// CheckConfig checks whether a config file can be used and prints advice. With rewrite it first
// moves keys into their sections.
func CheckConfig(a *app.App, path string, rewrite bool) error {
	if rewrite {
		if err := rewriteConfig(a, path); err != nil {
			return err
		}
	}
	report, err := inspectConfig(a, path)
	if err != nil {
		return err
	}
	return a.WithOutput(func(w io.Writer) error {
		fmt.Fprintf(w, "%s: %s, all known and valid\n", path, text.Count(len(report.Keys), "key is set", "keys are set"))
		if len(report.Loose) > 0 {
			fmt.Fprintf(w, "keys outside their sections, which work as in version 0.8: %s; `eventseer config check --rewrite` moves them\n", strings.Join(report.Loose, ", "))
		}
		if readableByOthers(path, report.Keys) {
			fmt.Fprintf(w, "the file contains secrets and other users can read it; run chmod o= %s\n", path)
		}
		return nil
	})
}

// inspectConfig reads a config file for its operator.
func inspectConfig(a *app.App, path string) (app.FileReport, error) {
	report, err := a.InspectConfig(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w at %s; `eventseer start` or `eventseer init` writes one", ErrNoConfig, path)
	}
	return report, err
}

// readableByOthers reports whether a config file with secrets can be read by users who are neither
// its owner nor in its group.
func readableByOthers(path string, keys []string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Perm()&0o007 != 0 && app.HoldsSecrets(keys)
}

// rewriteConfig moves the keys of a config file into their sections.
func rewriteConfig(a *app.App, path string) error {
	if _, err := inspectConfig(a, path); err != nil {
		return err
	}
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	content, err := app.SectionConfig(old)
	if err != nil || bytes.Equal(old, content) {
		return err
	}
	return replaceConfig(path, content)
}

// replaceConfig replaces a config file atomically and preserves its mode.
func replaceConfig(path string, content []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	err = atomicfile.WritePrivate(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	return errors.Join(err, os.Chmod(path, info.Mode().Perm()))
}

// InitConfig writes a new config file and creates the data directory. The file is the named or the
// default one, which must not exist unless replace is set.
func InitConfig(a *app.App, named string, replace bool) error {
	if a.Config.Contact == "" {
		return app.Usagef("init needs --contact: the e-mail address or URL by which site owners can reach you")
	}
	path, next := named, "eventseer crawl --config "+named+" --seeds FILE"
	if named == "" {
		path, next = a.DefaultConfigPath(), "eventseer crawl --seeds FILE"
	}
	_, err := os.Stat(path)
	switch {
	case err == nil && !replace:
		return fmt.Errorf("%s exists; --force replaces it", path)
	case err == nil:
		if err := os.Remove(path); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := WriteConfig(a, path); err != nil {
		return err
	}
	if err := os.MkdirAll(a.Config.Data, 0o750); err != nil {
		return err
	}
	a.Logf("wrote %s; events will be stored in %s", path, a.Config.Data)
	a.Logf("next: %s", next)
	return nil
}

// draftSuffix ends the name of the copy of a config file during editing.
const draftSuffix = ".edited"

// EditConfig opens an editor for a copy of a config file and replaces the file if the copy is
// valid. An invalid copy is saved for the next edit, its name is printed, and the file is
// unchanged.
func EditConfig(ctx context.Context, a *app.App, path string) error {
	editor := a.Getenv("VISUAL")
	if editor == "" {
		editor = a.Getenv("EDITOR")
	}
	if editor == "" {
		return app.Usagef("neither VISUAL nor EDITOR names an editor; set one, or edit %s yourself and run `eventseer config check`", path)
	}
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w at %s; `eventseer start` or `eventseer init` writes one", ErrNoConfig, path)
	}
	if err != nil {
		return err
	}
	draft := path + draftSuffix
	switch _, err := os.Stat(draft); {
	case err == nil:
		a.Logf("editing %s, which an earlier edit left", draft)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	default:
		if err := os.WriteFile(draft, old, 0o600); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", draft)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.Stdin, a.Stdout, a.Stderr
	if err := cmd.Run(); err != nil {
		return errors.Join(fmt.Errorf("%s is unchanged: %s: %w", path, editor, err), os.Remove(draft))
	}
	content, err := os.ReadFile(draft)
	if err != nil {
		return err
	}
	if bytes.Equal(content, old) {
		a.Logf("%s is unchanged", path)
		return os.Remove(draft)
	}
	if _, err := a.InspectConfig(draft); err != nil {
		return fmt.Errorf("%s is unchanged; your text is kept for the next edit: %w", path, err)
	}
	if err := errors.Join(replaceConfig(path, content), os.Remove(draft)); err != nil {
		return err
	}
	a.Logf("%s is changed; `eventseer config reload` applies it to a running process, as far as that is possible without a restart", path)
	return nil
}

// ReloadConfig makes the process that has the data directory open reload its configuration, and
// prints the changes.
func ReloadConfig(ctx context.Context, a *app.App) error {
	said, err := admin.AskReload(ctx, a.Config.Data)
	if errors.Is(err, admin.ErrSilent) {
		return fmt.Errorf("no process has %s open, so there is nothing to reload; the next process reads the config when it starts", a.Config.Data)
	}
	if err != nil {
		return err
	}
	return a.WithOutput(func(w io.Writer) error {
		_, err := fmt.Fprintln(w, said)
		return err
	})
}
