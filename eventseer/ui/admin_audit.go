package ui

import (
	"context"
	"slices"
	"sync"
)

const maxAudited = 500 // entries shown at /admin/audit

// An auditLog holds the last entries for the operator's page. What is kept for good is
// the business of Options.Audit. The zero auditLog is empty.
type auditLog struct {
	mu      sync.Mutex
	entries []AuditEntry // oldest first; mu guards them
}

func (l *auditLog) add(e AuditEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, e)
	if n := len(l.entries); n > maxAudited {
		l.entries = slices.Delete(l.entries, 0, n-maxAudited)
	}
}

func (l *auditLog) all() []AuditEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.entries)
}

// audit writes down what the operator did.
func (s *server) audit(e AuditEntry) {
	s.audited.add(e)
	if s.Audit != nil {
		s.Audit(e)
		return
	}
	s.Log.Info("operator", "who", e.Who, "action", e.Action, "subject", e.Subject, "result", e.Result)
}

// auditPanel shows what the operator did.
func (s *server) auditPanel() Panel {
	return Panel{Name: "audit", Title: "Audit log", Group: "Visitors", Show: func(context.Context, map[string]string) (Sheet, error) {
		t := Table{Caption: "Since the program was started, the newest first", Columns: []string{"When", "Who", "What", "Of", "Result"}, Empty: "Nothing was done yet."}
		for _, e := range slices.Backward(s.audited.all()) {
			t.Rows = append(t.Rows, Row{Cells: []Cell{{At: e.At}, {Text: e.Who}, {Text: e.Action}, {Text: e.Subject}, {Text: e.Result}}})
		}
		return Sheet{Intro: "What was done on these pages, and by whom.", Tables: []Table{t}}, nil
	}}
}
