package ui

import (
	"context"
	"time"
)

// A Panel is one page of the operator's at /admin/NAME. Panels are made where the
// parts they show are known; the UI only draws them.
type Panel struct {
	Name  string // in the URL: "hosts"
	Title string
	// Group is the heading it stands under at /admin: "Crawl", "Mail", "Data".
	Group string
	// Find, if not "", labels a search box: its text is the parameter "q".
	Find string
	// Show returns what the page says now. query are the URL's parameters: "q", "from".
	Show func(ctx context.Context, query map[string]string) (Sheet, error)
	// Act, if not nil, does what a Button of the sheet asks and says what it did. It is
	// called for POSTs of the operator only and written to the audit log.
	Act func(ctx context.Context, action, subject, value string) (said string, err error)
}

// A Sheet is the content of a Panel: facts, then tables.
type Sheet struct {
	Intro  string
	Facts  []Fact
	Tables []Table
}

// A Fact is one figure with its name. State is "", "good", "warn" or "bad"; it is
// also said in words.
type Fact struct{ Name, Value, State string }

// A Table has a caption and rows; Empty is said where it has none.
type Table struct {
	Caption string
	Columns []string
	Rows    []Row
	Empty   string
	// More is the query of the next page, "" of none.
	More string
}

// A Row is a line of a table with what can be done about it.
type Row struct {
	Cells   []Cell
	Buttons []Button
}

// A Cell is a text, a link if Href is not "", a moment if At is not zero.
type Cell struct {
	Text, Href, State string
	At                time.Time
}

// A Button asks for an action on a subject. With Ask, a text is typed beside it.
type Button struct{ Action, Subject, Label, Ask string }

// An AuditEntry is one thing that somebody with rights did.
type AuditEntry struct {
	At                   time.Time
	Who, Action, Subject string
	Result               string
}
