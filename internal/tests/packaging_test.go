package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// readSource returns a file of the sources.
func readSource(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestPackaging: units, package, image and guide name one set of paths, and the package holds
// the manuals and documents that its units point to.
func TestPackaging(t *testing.T) {
	deb := readSource(t, "doc/packaging/build-deb")
	units, err := filepath.Glob(filepath.Join("..", "..", "doc", "packaging", "*.service"))
	if err != nil || len(units) != 3 {
		t.Fatalf("%d units, %v", len(units), err)
	}
	paths := regexp.MustCompile(`/(?:etc|var/lib|usr/bin|usr/share/doc)/[^\s"',:]*eventseer[^\s"',:]*`)
	known := regexp.MustCompile(`^(/etc/eventseer/(config\.yaml|(control|worker)\.env|.*\.(pem|key|creds|txt))|/var/lib/eventseer(/control|/worker)?|/usr/bin/eventseer|/usr/share/doc/eventseer/.*)$`)
	for _, path := range units {
		name := filepath.Base(path)
		text := readSource(t, "doc/packaging/"+name)
		if !strings.Contains(deb, `"$here/`+name+`"`) {
			t.Errorf("build-deb does not install %s", name)
		}
		for _, want := range []string{"ExecStart=/usr/bin/eventseer ", "--config /etc/eventseer/config.yaml", "--data /var/lib/eventseer", "User=eventseer"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not have %q", name, want)
			}
		}
		for _, found := range paths.FindAllString(text, -1) {
			if !known.MatchString(found) {
				t.Errorf("%s names %s, a path of its own", name, found)
			}
		}
		for _, manual := range regexp.MustCompile(`file:/usr/share/doc/eventseer/(\S+)`).FindAllStringSubmatch(text, -1) {
			readSource(t, "doc/"+manual[1]) // is there, and build-deb installs all of doc/*.md
		}
		if !strings.Contains(text, "Documentation=man:eventseer(1)") {
			t.Errorf("%s names no manual", name)
		}
	}
	for _, want := range []string{`"$root"/doc/*.md`, "man --dir", "data: /var/lib/eventseer", "chmod 640", "/etc/eventseer/config.yaml"} {
		if !strings.Contains(deb, want) {
			t.Errorf("build-deb does not have %q", want)
		}
	}
	guide := readSource(t, "doc/guide.md")
	for _, want := range []string{"/etc/eventseer/config.yaml", "/var/lib/eventseer", "doc/packaging/eventseer.service", "doc/packaging/Containerfile"} {
		if !strings.Contains(guide, want) {
			t.Errorf("the guide does not name %s", want)
		}
	}
}

// TestContainerfile checks the container file. Its instructions and sources exist, it has the
// version of Go that go.mod wants, no root, and the paths of the package.
func TestContainerfile(t *testing.T) {
	text := strings.ReplaceAll(readSource(t, "doc/packaging/Containerfile"), "\\\n", " ")
	instructions := map[string][]string{}
	stages := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, ok := strings.Cut(line, " ")
		if !ok || !slices.Contains(strings.Fields("FROM WORKDIR COPY RUN USER VOLUME ENV EXPOSE HEALTHCHECK ENTRYPOINT CMD"), name) {
			t.Errorf("%q is no instruction", line)
		}
		if name == "FROM" {
			stages++
		}
		instructions[name] = append(instructions[name], rest)
		if name != "COPY" || strings.HasPrefix(rest, "--from=build ") {
			continue
		}
		words := strings.Fields(rest)
		for _, source := range words[:len(words)-1] {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(source))); err != nil {
				t.Errorf("COPY: %v", err)
			}
		}
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readSource(t, "go.mod"))
	if stages != 2 || len(version) != 2 || !strings.Contains(instructions["FROM"][0], "golang:"+version[1]+"-") {
		t.Errorf("stages %v, go.mod wants Go %v", instructions["FROM"], version)
	}
	for name, want := range map[string]string{
		"USER": "eventseer", "VOLUME": "/var/lib/eventseer", "ENTRYPOINT": `["/usr/bin/eventseer"]`, "EXPOSE": "8080", "CMD": `["serve", "--log-format", "json"]`,
	} {
		if got := instructions[name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s %v, want %s", name, got, want)
		}
	}
}
