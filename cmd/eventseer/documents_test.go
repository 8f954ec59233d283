package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestDocumentedCommands checks the commands that the documents print, in code blocks and in running text. Those of
// eventseer name a command and its flags. Those of go test name packages and tests that exist. Files of the
// repository and, if they are there, of the corpora ($S, shared) exist. A word in capital letters, such as N or DIR, may stand for
// a value.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	const root = "../.."
	eventseers, tests := 0, 0
	for _, pattern := range []string{"README.md", "CONTRIBUTING.md", "doc/*.md", "doc/decisions/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name, _ := filepath.Rel(root, file)
			for _, c := range documentedCommands(string(content)) {
				words := shellWords(c)
				switch {
				case words[0] == "eventseer":
					eventseers++
					err = checkDocumentedEventseer(t, words[1:])
				case len(words) > 2 && words[0] == "go" && words[1] == "test":
					tests++
					err = checkDocumentedTest(root, words[2:])
				default:
					continue
				}
				if err = errors.Join(err, checkDocumentedPaths(root, words)); err != nil {
					t.Errorf("%s: `%s`: %v", name, c, err)
				}
			}
		}
	}
	t.Logf("%d commands of eventseer, %d of go test", eventseers, tests)
	if eventseers < 200 || tests < 40 {
		t.Errorf("only %d commands of eventseer and %d of go test were found", eventseers, tests)
	}
}

// TestDocumentedCommandsFailures checks that wrong commands are reported.
func TestDocumentedCommandsFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []string{
		"eventseer crawll", "eventseer crawl --no-such-flag", "eventseer lab run --budget many --web W", "eventseer lab runn x", "eventseer doctor extra",
		"go test ./no/such/package -run TestX", "go test ./cmd/eventseer -run TestThatDoesNotExist", "eventseer extract cmd/eventseer/testdata/none.html",
	} {
		got := documentedCommands("```\n" + c + "   # a comment\n```\n")
		if len(got) != 1 {
			t.Fatalf("%q: commands %q", c, got)
		}
		words, err := shellWords(got[0]), error(nil)
		if words[0] == "eventseer" {
			err = checkDocumentedEventseer(t, words[1:])
		} else {
			err = checkDocumentedTest("../..", words[2:])
		}
		if err = errors.Join(err, checkDocumentedPaths("../..", words)); err == nil {
			t.Errorf("%q is accepted", c)
		}
	}
}

var (
	inlineCommand = regexp.MustCompile("(?s)`+([^`]+?)`+")
	commandStart  = regexp.MustCompile(`^(?:\$ )?(?:sudo (?:-u \S+ )?)?(?:[A-Z][A-Z_]*=\S* )*((?:eventseer|go test) .*)`)
)

// documentedCommands returns the commands of a document: lines of code blocks, joined after a backslash, and inline
// code.
func documentedCommands(document string) (commands []string) {
	document = strings.ReplaceAll(document, "\\\n", " ")
	add := func(text string) {
		for _, part := range regexp.MustCompile(`\s(?:&&|\|\||[|;&])\s|\s[|]$|;\s`).Split(strings.Join(strings.Fields(text), " "), -1) {
			if m := commandStart.FindStringSubmatch(strings.TrimSpace(part)); m != nil {
				commands = append(commands, m[1])
			}
		}
	}
	var prose strings.Builder
	inBlock := false
	for line := range strings.SplitSeq(document, "\n") {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			inBlock = !inBlock
			prose.WriteString("\n\n")
		case inBlock:
			code, _, _ := strings.Cut(line+" ", " # ")
			if !strings.HasPrefix(code, " ") { // output and continued lines are indented
				add(code)
			}
		default:
			prose.WriteString(line + "\n")
		}
	}
	for paragraph := range strings.SplitSeq(prose.String(), "\n\n") {
		for _, m := range inlineCommand.FindAllStringSubmatch(paragraph, -1) {
			code, _, _ := strings.Cut(m[1]+" ", " # ")
			add(code)
		}
	}
	return commands
}

// shellWords splits a command like a shell, up to a redirection.
func shellWords(command string) (words []string) {
	var word strings.Builder
	quote, begun := rune(0), false
	for _, c := range command + " " {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, begun = c, true
		case quote == 0 && c == ' ':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	if i := slices.IndexFunc(words, func(w string) bool { return strings.TrimLeft(w, "12&") == ">" || w == "<" || w == ">>" }); i >= 0 {
		words = words[:i]
	}
	return words
}

// placeholder is a word that stands for a value, or for several arguments.
var placeholder = regexp.MustCompile(`^\$[A-Z]+$|^[A-Z][A-Z0-9_@.-]*(?:\.\.\.|…)?$|…|\.\.\.|^[.,:]*$`)

// checkDocumentedEventseer returns an error if the arguments are not accepted by a command. Brackets enclose what may be
// left out.
func checkDocumentedEventseer(t *testing.T, args []string) error {
	a := newTestApp(t)
	open := false // something may be left out or added, so the number of arguments is unknown
	var given []string
	for _, arg := range args {
		bare := strings.Trim(arg, "[]")
		if open = open || bare != arg || placeholder.MatchString(bare); bare == "…" || bare == "..." || bare == "" || strings.HasPrefix(bare, "$") && !strings.Contains(bare, "/") {
			continue
		}
		given = append(given, bare)
	}
	root := newRootCommand(a)
	root.InitDefaultHelpCmd()
	cmd, rest, err := root.Find(given)
	if err != nil {
		return err
	}
	if !cmd.Runnable() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && !placeholder.MatchString(rest[0]) && !strings.Contains(rest[0], "|") {
		return fmt.Errorf("%s has no command %q", cmd.CommandPath(), rest[0])
	}
	if err := cmd.ParseFlags(rest); err != nil && !errors.Is(err, pflag.ErrHelp) {
		var bad *pflag.InvalidValueError
		if errors.As(err, &bad) && (placeholder.MatchString(bad.GetValue()) || strings.Contains(bad.GetValue(), "|")) {
			return nil
		}
		return err
	}
	if open || !cmd.Runnable() || cmd.Flags().NArg() == 0 { // running text mentions commands without their arguments
		return nil
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// checkDocumentedTest returns an error if a package of a go test command, or a test or benchmark it selects, does not exist.
func checkDocumentedTest(root string, args []string) error {
	var dirs []string
	var patterns []string
	for i, arg := range args {
		switch {
		case strings.HasPrefix(arg, "./"):
			dirs = append(dirs, strings.TrimSuffix(arg, "/..."))
		case (arg == "-run" || arg == "-bench" || arg == "-fuzz") && i+1 < len(args):
			patterns = append(patterns, args[i+1])
		}
	}
	var source strings.Builder
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			content, err := os.ReadFile(path)
			source.Write(content)
			return err
		})
		if err != nil {
			return err
		}
	}
	names := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Example|Fuzz)\w*)\(`).FindAllStringSubmatch(source.String(), -1)
	for _, pattern := range patterns {
		if pattern == "^$" || strings.EqualFold(pattern, "xxx") || placeholder.MatchString(pattern) || len(dirs) == 0 {
			continue
		}
		pattern, _, _ = strings.Cut(pattern, "/")
		re, err := regexp.Compile(pattern)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(names, func(m []string) bool {
			return re.MatchString(m[1]) || re.MatchString(strings.TrimPrefix(m[1], "Benchmark"))
		}) {
			return fmt.Errorf("no test of %s matches %q", strings.Join(dirs, ", "), pattern)
		}
	}
	return nil
}

// repositoryPath matches an argument or the value of a flag that names a file of the repository or the corpora.
var repositoryPath = regexp.MustCompile(`^(?:--?[a-z-]+=)?((?:cmd|classify|contextgraph|crawler|datasets|doc|eventseer|features|internal|models|webgraph|shared|\$S)/[^:*{},]+)`)

// checkDocumentedPaths returns an error if a file of the repository that a command names does not exist. Files of the
// corpora are checked if the corpora are there.
func checkDocumentedPaths(root string, words []string) error {
	shared := filepath.Join(root, "..", "shared")
	for _, w := range words {
		m := repositoryPath.FindStringSubmatch(w)
		if m == nil || placeholder.MatchString(filepath.Base(m[1])) {
			continue
		}
		path := filepath.Join(root, m[1])
		switch first, rest, _ := strings.Cut(m[1], "/"); first {
		case "shared":
			path = filepath.Join(shared, rest)
		case "$S":
			path = filepath.Join(shared, "corpora", rest)
		}
		if _, err := os.Stat(shared); err != nil && strings.HasPrefix(path, shared) {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			return err
		}
	}
	return nil
}
