package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/store"
)

// manyCalls makes a data directory whose export fits in no buffer on its way.
func manyCalls(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	st, err := store.Open(filepath.Join(dir, app.StoreFile), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var topics []string // a text is cut off at some 4 kB, so it takes many
	for i := range 20 {
		topics = append(topics, fmt.Sprintf("%d %s", i, strings.Repeat("crawling ", 300)))
	}
	for i := range 20 {
		_, err := st.Put(t.Context(), eventseer.Event{
			URL: fmt.Sprintf("https://c%d.example/", i), Acronym: fmt.Sprintf("C%d", i), Year: 2027,
			Title: fmt.Sprintf("Conference %d on Crawling", i), Topics: topics,
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// serveProcess runs serve as a separate process, until the end of the test at the latest.
func serveProcess(t *testing.T, program, data string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program, "serve", "--data", data, "--listen", "127.0.0.1:0", "--parts", "web", "--dumps=false", "--quiet")
	cmd.Env, cmd.Stderr = append(os.Environ(), "HOME="+data), os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if !bufio.NewScanner(out).Scan() {
		t.Fatal("serve says no address")
	}
	return cmd
}

// await returns at the first write.
func await(t *testing.T, r io.Reader) {
	t.Helper()
	if _, err := io.ReadFull(r, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
}

// Commands that are killed let others run, and one that is interrupted ends.
func TestClientsLeave(t *testing.T) {
	t.Parallel()
	program, data := selfAs(t, "eventseer"), manyCalls(t)
	serveProcess(t, program, data)
	killed := exec.Command(program, "export", "--data", data) // its output is not read any further
	killed.Env, killed.Stderr = append(os.Environ(), "HOME="+data), os.Stderr
	out, err := killed.StdoutPipe()
	if err == nil {
		err = killed.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = killed.Wait() }()
	defer func() { _ = killed.Process.Kill() }()
	await(t, out)
	interrupted, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	codes := make(chan int, serve.MaxCommands-1)
	for range serve.MaxCommands - 1 {
		a := newTestApp(t)
		out, in := io.Pipe()
		a.Stdout = in
		context.AfterFunc(interrupted, func() { _ = out.Close() })
		go func() { codes <- run(interrupted, []string{"export", "--data", data}, a) }()
		await(t, out)
	}
	done := make(chan told, 1)
	go func() { // not tell: it changes the folder
		code, out, talk := runCaptured(t, "find", "--all", "--format", "jsonl", "--data", data, "conference")
		done <- told{Code: code, Out: out, Talk: talk}
	}()
	select {
	case got := <-done:
		t.Fatalf("more than %d commands run at a time: exit %d, %d bytes, %s", serve.MaxCommands, got.Code, len(got.Out), got.Talk)
	case <-time.After(100 * time.Millisecond):
	}
	if err := killed.Process.Kill(); err != nil { // SIGKILL
		t.Error(err)
	}
	interrupt()
	for range serve.MaxCommands - 1 {
		if code := <-codes; code != exitInterrupted {
			t.Errorf("an interrupted command exits with %d", code)
		}
	}
	select {
	case got := <-done:
		if got.Code != 0 || strings.Count(got.Out, "\n") != 20 {
			t.Errorf("exit %d, %d lines, %s", got.Code, strings.Count(got.Out, "\n"), got.Talk)
		}
	case <-time.After(time.Minute):
		t.Fatal("killed commands keep others waiting")
	}
}

// onFirst calls f before the first write, and notes all.
type onFirst struct {
	bytes.Buffer
	f func()
}

func (w *onFirst) Write(p []byte) (int, error) {
	if w.f != nil {
		w.f()
		w.f = nil
	}
	return w.Buffer.Write(p)
}

// A command whose serve is killed reports that its result is incomplete. Acknowledged changes are on the
// disk.
func TestServeIsKilled(t *testing.T) {
	t.Parallel()
	program, data := selfAs(t, "eventseer"), manyCalls(t)
	serve := serveProcess(t, program, data)
	code, list, talk := runCaptured(t, "clip", "add", "conference", "--mail", "ann@readers.example", "--confirmed", "--data", data)
	if code != 0 {
		t.Fatalf("clip add while a serve runs: exit %d %s", code, talk)
	}
	a := newTestApp(t)
	var says talkLog
	out := &onFirst{f: func() {
		_ = serve.Process.Kill()
		_ = serve.Wait()
	}}
	a.Stdout, a.Stderr = out, &says
	if code := run(t.Context(), []string{"export", "--data", data}, a); code != exitFailed || !strings.Contains(says.String(), "incomplete") || out.Len() == 0 {
		t.Errorf("exit %d after %d bytes: %s", code, out.Len(), &says)
	}
	for _, line := range [][]string{{"clip", "list"}, {"check"}} {
		code, got, talk := runCaptured(t, append(line, "--data", data)...)
		if code != 0 || line[0] == "clip" && !strings.Contains(got, strings.TrimSpace(list)) {
			t.Errorf("%q after the kill: exit %d\n%s%s", line, code, got, talk)
		}
	}
}
