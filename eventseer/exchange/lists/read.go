// Package lists builds the table of known series from public lists of conferences.
package lists

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/lines"

	"go.yaml.in/yaml/v3"
)

// A Source is a public list: its folder, maintainer, commit, and a reader of its entries.
type Source struct {
	Folder  string
	Name    string // repository and commit
	Licence string
	read    func(path string, e listMapping) []listEntry
}

// Sources returns the lists of the table, in the order in which they are merged.
func Sources() []Source {
	return []Source{
		{"ccfddl", "ccfddl/ccf-deadlines 5f8dce3", "MIT", readCCFDDL},
		{"hf-ai-deadlines", "huggingface/ai-deadlines de9f41b", "MIT", readFlatEntries},
		{"sec-deadlines", "sec-deadlines/sec-deadlines.github.io 5d685c0", "none found", readFlatEntries},
		{"se-deadlines", "se-deadlines/se-deadlines.github.io e669889", "none found", readFlatEntries},
		{"global-health", "EPFLiGHT/Conferences-Calendar 9f4a76f", "MIT", readFlatEntries},
		{"python-deadlines", "JesperDramsch/python-deadlines 7189d21", "MIT", readPython},
		{"conference-data", "tech-conferences/conference-data f8c761c", "see its repository", readConferenceData},
	}
}

// A listEntry is one edition of a series in a list, or the series itself.
type listEntry struct {
	acronyms []string
	name     string
	fields   []string
	dblp     string
	year     int
	month    int
	link     string
	ranks    []eventseer.Rank
	calls    bool // it has had calls for contributions
}

// A listMapping is a mapping of a list, in YAML or JSON.
type listMapping map[string]any

// textOf returns the first of some members that is a text or a number.
func (e listMapping) textOf(names ...string) string {
	for _, n := range names {
		switch v := e[n].(type) {
		case string:
			if v = strings.Join(strings.Fields(v), " "); v != "" {
				return v
			}
		case int:
			return strconv.Itoa(v)
		case float64:
			return strconv.Itoa(int(v))
		case time.Time:
			return v.Format(time.DateOnly)
		}
	}
	return ""
}

// textsOf returns the texts of a member that is a text or a list of texts.
func (e listMapping) textsOf(name string) (words []string) {
	switch v := e[name].(type) {
	case string:
		return strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
	case []any:
		for _, w := range v {
			if s, ok := w.(string); ok {
				words = append(words, s)
			}
		}
	}
	return words
}

func (e listMapping) listOf(name string) (list []listMapping) {
	items, _ := e[name].([]any)
	for _, item := range items {
		if m := asMapping(item); m != nil {
			list = append(list, m)
		}
	}
	return list
}

// asMapping returns a member that is a mapping, nil for another.
func asMapping(v any) listMapping {
	switch m := v.(type) {
	case listMapping:
		return m
	case map[string]any:
		return m
	}
	return nil
}

// maxFile bounds a file of a list, in bytes.
const maxFile = 16 << 20

// readFolder yields the entries of all files of a list in order of path.
func readFolder(folder string, yield func(path string, e listMapping)) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		ext := filepath.Ext(path)
		if err != nil || !d.Type().IsRegular() || !slices.Contains([]string{".yml", ".yaml", ".json"}, ext) || d.Name() == "types.yml" {
			return err
		}
		text, err := lines.ReadFile(path, maxFile)
		if err != nil {
			return err
		}
		var all []listMapping
		if ext == ".json" {
			err = json.Unmarshal(text, &all)
		} else {
			err = yaml.Unmarshal(text, &all)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, e := range all {
			yield(filepath.ToSlash(path), e)
		}
		return nil
	})
}

// readAll returns the contents of a list, in order of path.
func (s Source) readAll(root string) (all []listEntry, err error) {
	folder := filepath.Join(root, s.Folder)
	if _, err := os.Stat(folder); err != nil {
		return nil, err
	}
	err = readFolder(folder, func(path string, e listMapping) {
		for _, one := range s.read(path, e) {
			for i := range one.ranks {
				one.ranks[i].Source = s.Name
			}
			all = append(all, one)
		}
	})
	return all, err
}

// readCCFDDL reads a series with its editions.
func readCCFDDL(path string, e listMapping) (all []listEntry) {
	if len(e.listOf("accept_rates")) > 0 {
		return nil
	}
	s := listEntry{acronyms: []string{e.textOf("title")}, name: e.textOf("description"), fields: fieldsNamed(e.textOf("sub")), dblp: e.textOf("dblp"), calls: true}
	s.ranks = ranksOf(asMapping(e["rank"]))
	all = append(all, s)
	for _, edition := range e.listOf("confs") {
		one := listEntry{acronyms: s.acronyms, name: s.name, link: edition.textOf("link"), month: monthOf(edition.textOf("date")), calls: true}
		one.year, _ = strconv.Atoi(edition.textOf("year"))
		all = append(all, one)
	}
	return all
}

// systems are the systems of ranks that lists name.
var systems = []string{"ccf", "core", "thcpl"}

func ranksOf(rank listMapping) (ranks []eventseer.Rank) {
	for _, system := range systems {
		if v := rank.textOf(system); v != "" && v != "N" {
			ranks = append(ranks, eventseer.Rank{System: system, Value: v})
		}
	}
	return ranks
}

// trackTitle matches entries for tracks of an edition instead of editions.
var trackTitle = regexp.MustCompile(`(?i)\btrack\)?$|\(.*(track|edition|cycle|round).*\)| [-–] .*(track|papers?|journal|forum|competition|proposals?|consortium|in practice|in society|results|demonstrations?|artifacts?|tutorials?|vision|reports?|posters?|education|replication|negative|showcase|visions?|registered|mentoring)\b`)

// readFlatEntries reads an edition from a layout in which each entry is an edition.
func readFlatEntries(path string, e listMapping) []listEntry {
	s := listEntry{acronyms: []string{e.textOf("title", "name")}, name: e.textOf("full_name", "description"), link: e.textOf("link"), dblp: dblpOf(e.textOf("dblp")), calls: true}
	if before, track, ok := strings.Cut(s.name, " - "); ok {
		if !strings.EqualFold(track, "Research Track") && !strings.EqualFold(track, "Technical Track") {
			return nil // another track, or a workshop's own entry
		}
		s.name = before
	}
	if trackTitle.MatchString(s.name) || trackTitle.MatchString(s.acronyms[0]) || strings.Contains(path, "summits") {
		return nil
	}
	s.year, _ = strconv.Atoi(e.textOf("year"))
	if s.month = monthOf(e.textOf("start")); s.month == 0 {
		s.month = monthOf(e.textOf("date"))
	}
	rank := listMapping{}
	for part := range strings.SplitSeq(e.textOf("rankings"), ",") {
		if system, value, ok := strings.Cut(part, ":"); ok {
			rank[strings.ToLower(strings.TrimSpace(system))] = strings.TrimSpace(value)
		}
	}
	for _, tag := range append(e.textsOf("tags"), e.textsOf("sub")...) {
		switch value, ok := strings.CutPrefix(tag, "CORE-"); {
		case ok:
			rank["core"] = value
		case tag == "ASTAR":
			rank["core"] = "A*"
		default:
			s.fields = append(s.fields, fieldsNamed(tag)...)
		}
	}
	s.ranks = ranksOf(rank)
	if strings.Contains(path, "se-deadlines/") && !strings.Contains(path, "sec-deadlines/") {
		s.fields = append(s.fields, "software engineering")
	}
	return []listEntry{s}
}

// readPython reads an edition of a community conference.
func readPython(_ string, e listMapping) []listEntry {
	s := listEntry{name: e.textOf("conference"), link: e.textOf("link"), fields: []string{"Python"}, month: monthOf(e.textOf("start")), calls: e.textOf("cfp") != ""}
	if other := e.textOf("alt_name"); other != "" {
		s.acronyms = []string{other}
	}
	s.year, _ = strconv.Atoi(e.textOf("year"))
	return []listEntry{s}
}

// readConferenceData reads an edition of a developers' conference; the file's name is its field.
func readConferenceData(path string, e listMapping) []listEntry {
	field := strings.TrimSuffix(filepath.Base(path), ".json")
	s := listEntry{name: e.textOf("name"), link: e.textOf("url"), month: monthOf(e.textOf("startDate")), calls: e.textOf("cfpUrl") != ""}
	s.fields = []string{"software development"}
	if named := practice[field]; named != "" {
		s.fields = append(s.fields, named)
	}
	s.year, _ = strconv.Atoi(e.textOf("startDate")[:min(4, len(e.textOf("startDate")))])
	return []listEntry{s}
}

var (
	isoMonth  = regexp.MustCompile(`^\d{4}-(\d\d)`)
	wordMonth = regexp.MustCompile(`(?i)\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b`)
	months    = "janfebmaraprmayjunjulaugsepoctnovdec"
)

// monthOf returns the first month that a text names, or 0.
func monthOf(text string) int {
	if m := isoMonth.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	if m := wordMonth.FindStringSubmatch(text); m != nil {
		return strings.Index(months, strings.ToLower(m[1]))/3 + 1
	}
	return 0
}

// dblpOf returns the name of a series in an address of DBLP.
func dblpOf(address string) string {
	if _, after, ok := strings.Cut(address, "/conf/"); ok {
		name, _, _ := strings.Cut(after, "/")
		return name
	}
	return ""
}

// research maps the field codes of lists to names. practice does the same for file names of
// developers' conferences that are not words.
var (
	research = map[string]string{
		"DS": "computer architecture, distributed and parallel computing, storage", "NW": "computer networks", "SC": "security", "SE": "software engineering, programming languages, operating systems",
		"DB": "databases, data mining, information retrieval", "CT": "theory of computing", "CG": "graphics, multimedia", "AI": "artificial intelligence", "HI": "human-computer interaction",
		"SEC": "security", "PRIV": "privacy", "CRYPTO": "cryptography", "ML": "machine learning", "CV": "computer vision", "NLP": "natural language processing", "RO": "robotics",
		"GH": "global health", "HEALTH": "health", "DM": "data mining", "IR": "information retrieval", "SP": "speech, signal processing",
	}
	practice = map[string]string{
		"accessibility": "accessibility", "android": "Android", "api": "programming interfaces", "clojure": "Clojure", "cpp": "C++", "css": "web design", "data": "data", "devops": "operations", "dotnet": ".NET",
		"elixir": "Elixir", "golang": "Go", "graphql": "GraphQL", "groovy": "Groovy", "haskell": "Haskell", "ios": "iOS", "iot": "internet of things", "java": "Java", "javascript": "JavaScript", "kotlin": "Kotlin",
		"kubernetes": "Kubernetes", "leadership": "leadership", "networking": "networking", "performance": "performance", "php": "PHP", "product": "product management", "python": "Python", "ruby": "Ruby",
		"rust": "Rust", "scala": "Scala", "security": "security", "tech-comm": "technical communication", "testing": "testing", "typescript": "TypeScript", "ux": "user experience",
		"identity": "identity", "opensource": "open source", "sre": "operations", "cloud": "cloud computing",
	}
)

// fieldsNamed returns the fields of a code or a tag.
func fieldsNamed(tag string) (fields []string) {
	if names := research[tag]; names != "" {
		return strings.Split(names, ", ")
	}
	if tag == strings.ToLower(tag) && len(tag) > 2 {
		return []string{strings.ReplaceAll(tag, "-", " ")}
	}
	return nil
}
