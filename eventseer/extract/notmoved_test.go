package extract

import (
	"fmt"
	"strings"
	"testing"
)

// notMoved are parts of pages with several days of one kind of which none replaces another. No deadline in
// them may be shown as extended.
var notMoved = []string{
	// several rounds, tracks and contributions
	`<ul><li>First round submission: May 1, 2027<li>Second round submission: May 9, 2027</ul>`,
	`<ul><li>Round 1 papers due: March 1, 2027<li>Round 2 papers due: May 9, 2027 (new!)</ul>`,
	`<h3>Spring cycle</h3><ul><li>Paper submission: January 9, 2027</ul><h3>Summer cycle</h3><ul><li>Paper submission: March 9, 2027</ul>`,
	`<h3>Research track</h3><ul><li>Submission deadline: May 1, 2027</ul><h3>Industry track</h3><ul><li>Submission deadline: May 9, 2027 (extended abstracts)</ul>`,
	`<ul><li>Extended abstracts: May 1, 2027<li>Full papers: May 9, 2027</ul>`,
	`<ul><li>Abstract submission: May 1, 2027<li>Extended abstract submission: May 9, 2027</ul>`,
	`<ul><li>Submission of papers: May 1, 2027<li>Submission of extended versions: May 29, 2027</ul>`,
	`<ul><li>Paper submission: May 1, 2027<li>Notification: June 1, 2027<li>Extended papers for the journal: July 1, 2027</ul>`,
	`<p>Authors submit an extended abstract by May 1, 2027. Full papers are due on May 9, 2027.</p>`,
	`<ul><li>Submission deadline: May 1, 2027<li>Late submission deadline: May 9, 2027</ul>`,
	`<ul><li>Submission deadline: May 1, 2027<li>Final submission: June 20, 2027</ul>`,
	`<ul><li>Initial submission: May 1, 2027<li>Revised submission: June 20, 2027</ul>`,
	`<ul><li>Initial submission deadline: May 1, 2027<li>Notification: June 1, 2027<li>Final submission deadline: June 20, 2027</ul>`,
	`<ul><li>Initial paper submission: May 1, 2027<li>Revised paper submission: June 20, 2027</ul>`,
	`<ul><li>Old-style papers: May 1, 2027<li>New ideas papers: May 9, 2027</ul>`,
	`<ul><li>Original research papers: May 1, 2027<li>Research papers: May 9, 2027</ul>`,
	`<ul><li>Submission of original papers: May 1, 2027<li>Submission of papers: May 9, 2027</ul>`,
	`<ul><li>Original contributions due: May 1, 2027<li>Contributions due: May 9, 2027</ul>`,
	`<ul><li>Early registration: May 1, 2027<li>Registration: May 9, 2027</ul>`,
	`<table><tr><td><th>Abstract<th>Paper<tr><td>Round 1<td>April 20, 2027<td>May 1, 2027<tr><td>Round 2<td>May 2, 2027<td>May 9, 2027</table>`,
	`<table><tr><td><th>Workshop A<th>Workshop B<tr><td>Submission<td>May 1, 2027<td>May 9, 2027</table>`,
	`<table><tr><td>Submission<td>May 1, 2027<td>May 9, 2027</table>`,
	`<p>Submission deadlines: May 1, 2027 and May 9, 2027</p>`,
	`<p>Submission: May 9, 2027 (abstracts: May 1, 2027)</p>`,
	`<ul><li>Submission: May 9, 2027 (abstracts by May 1, 2027)</ul>`,
	`<ul><li>Submission window: May 1, 2027 to May 9, 2027</ul>`,
	`<ul><li>Submission period: from May 1, 2027 until May 9, 2027</ul>`,
	`<ul><li>Submission opens: May 1, 2027<li>Submission closes: May 9, 2027</ul>`,
	`<ul><li>Submissions from May 1, 2027<li>Submissions until May 9, 2027</ul>`,
	`<ul><li>Papers may be updated until May 9, 2027<li>Paper submission: May 1, 2027</ul>`,
	`<ul><li>Paper registration: May 1, 2027<li>Paper upload (updated version): May 9, 2027</ul>`,
	`<ul><li>Submission: May 1, 2027 -&gt; Notification: May 29, 2027 -&gt; Final version: June 9, 2027</ul>`,
	`<p>Submission &raquo; May 1, 2027 &raquo; May 9, 2027</p>`,
	// words about an extension without a previous day
	`<ul><li>New deadline: May 9, 2027</ul>`,
	`<ul><li>Submission deadline (extended): May 9, 2027<li>Notification: June 1, 2027</ul>`,
	`<p>The deadline has been extended!</p><ul><li>Paper submission: May 9, 2027<li>Demo submission: May 20, 2027</ul>`,
	`<p>The deadline for papers has been extended.</p><ul><li>Abstracts: May 1, 2027<li>Papers: May 9, 2027</ul>`,
	`<ul><li>Abstract submission: May 1, 2027<li>Paper submission: May 9, 2027 (extended)</ul>`,
	`<ul><li>Workshop proposals: March 1, 2027<li>Workshop papers: May 9, 2027 (extended deadline)</ul>`,
	`<h3>Papers</h3><ul><li>Submission deadline: May 1, 2027</ul><h3>Posters</h3><ul><li>Submission deadline (extended): May 9, 2027</ul>`,
	`<h3>Call for Papers</h3><ul><li>Submission deadline: May 1, 2027</ul><h3>Call for Demos</h3><ul><li>Extended submission deadline: May 9, 2027</ul>`,
	`<h3>News</h3><ul><li>April 20, 2027: submission deadline extended<li>March 1, 2027: the site is open for submissions</ul><h3>Dates</h3><ul><li>Submission deadline: May 9, 2027</ul>`,
	`<h3>News</h3><p>[April 20, 2027] The submission deadline has been extended to May 9, 2027.</p>`,
	`<ul><li>Paper submission: May 9, 2027<li>No extension will be given after May 12, 2027</ul>`,
	`<p>Paper submission: May 9, 2027. There will be no extensions. Reviews are sent on May 20, 2027.</p>`,
	`<ul><li>Paper submission: May 9, 2027 (hard deadline, no extension)<li>Paper submission for invited sessions: May 20, 2027</ul>`,
	`<p>Last updated: May 20, 2027</p><ul><li>Paper submission: May 9, 2027</ul><p>This page was updated on May 21, 2027</p>`,
	`<ul><li>Paper submission: May 9, 2027<li>Submissions are now open: May 1, 2027</ul>`,
	`<ul><li>Paper submission: May 1, 2027<li>Registration now open until May 9, 2027</ul>`,
	// other editions, hosts and events
	`<ul><li>Paper submission: May 9, 2027</ul><h3>Previous edition</h3><ul><li>Paper submission: May 1, 2026</ul>`,
	`<ul><li>Paper submission: May 9, 2027</ul><h3>Conference dates</h3><ul><li>Conference paper submission: March 1, 2027</ul>`,
	`<p>The workshop, originally planned for July 1-3, 2027, was moved to August 4-6, 2027.</p><ul><li>Paper submission: May 9, 2027</ul>`,
	`<p>Rescheduled: the workshop takes place on August 4-6, 2027 (previously July 1-3, 2027).</p><ul><li>Paper submission: May 9, 2027</ul>`,
	`<p>Previously rejected papers may be sent by May 1, 2027; papers are due on May 9, 2027.</p>`,
	`<ul><li>Papers previously submitted to the conference: May 9, 2027<li>Papers: May 1, 2027</ul>`,
	`<ul><li>Original paper submission: May 1, 2027<li>Paper submission: May 9, 2027</ul>`,
	// struck out for another reason than a move
	`<ul><li><s>Paper submission: May 1, 2027</s><li>Camera-ready paper: July 9, 2027</ul>`,
	`<ul><li><s>Abstract submission: May 1, 2027</s><li>Paper submission: May 9, 2027</ul>`,
	`<ul><li><s>Abstracts due: May 1, 2027</s><li><s>Papers due: May 9, 2027</s><li>Notification: June 1, 2027</ul>`,
	`<ul><li><s>Submission, round 1: May 1, 2027</s><li>Submission, round 2: May 9, 2027</ul>`,
	`<h3>Round 1</h3><ul><li><s>Submission: May 1, 2027</s></ul><h3>Round 2</h3><ul><li>Submission: May 9, 2027</ul>`,
	`<ul><li><s>First submission: May 1, 2027</s><li>Second submission: May 9, 2027</ul>`,
	`<ul><li><s>Spring submission: March 1, 2027</s><li>Autumn submission: May 9, 2027</ul>`,
	`<ul><li><s>Submission of regular papers: May 1, 2027</s><li>Submission of late papers: May 9, 2027</ul>`,
	`<ul><li><s>Early registration: May 1, 2027 (<s>300</s> 250 EUR)</s><li>Registration: July 9, 2027 (400 EUR)</ul>`,
	`<ul><li>Registration: <s>300</s> 250 EUR until July 9, 2027</ul>`,
	`<ul><li>Paper submission (<s>6</s> 8 pages): May 9, 2027</ul>`,
	`<ul><li>Paper submission: May 9, 2027, <s>23:59</s> 12:00</ul>`,
	`<table><tr><td><s>Research papers</s><td><s>May 1, 2027</s><tr><td>Short papers<td>May 9, 2027</table>`,
	`<table><tr><td>Research papers<td><s>May 1, 2027</s><tr><td>Posters<td>May 9, 2027</table>`,
	`<p><s>May 1, 2027</s> Abstract submission<br>May 9, 2027 Paper submission</p>`,
	`<p><s>May 1, 2027: Submission deadline for workshops</s><br>May 9, 2027: Submission deadline for posters</p>`,
	`<ul><li><s>Papers due: March 1, 2027</s><li><s>Papers due: May 9, 2027</s></ul>`,
	`<ul><li>Papers due: <s>May 1, 2027</s><li>Papers due, artifacts: <s>May 9, 2027</s></ul>`,
	`<table><tr><td>Deadline<td>May 1, 2027 (July 9, 2027)</table>`,
	`<ul><li>Submission: Round 1: May 1, 2027; Round 2: May 9, 2027; Final: May 20, 2027</ul>`,
	`<ul><li>Submission: May 1, 2027 [May 9, 2027]</ul>`,
	`<ul><li>Submission: May 1, 2027 ~ May 9, 2027</ul>`,
	`<ul><li>Submission: January 5, 2027 May 9, 2027</ul>`,
	`<p>Submissions April 1, 2027 April 9, 2027 May 1, 2027 May 9, 2027</p>`,
	`<table><tr><td>Abstract Paper Notification<td>April 1, 2027 April 9, 2027 May 1, 2027</table>`,
	`<h3>News</h3><ul><li>The deadline of the industry track has been extended to May 9, 2027.</ul><h3>Research track</h3><ul><li>Submission deadline: May 1, 2027</ul>`,
	`<p>The deadline for posters has been extended to May 9, 2027.</p><ul><li>Paper submission deadline: May 1, 2027</ul>`,
	`<p>The early registration deadline has been extended to May 9, 2027.</p><ul><li>Registration: May 1, 2027<li>Paper submission: April 1, 2027</ul>`,
	`<p>The notification has been postponed to June 9, 2027.</p><ul><li>Paper submission: May 1, 2027</ul>`,
	`<ul><li><s>Submission: May 1, 2027</s><li>Notification: June 1, 2027<li>Submission (late-breaking results): June 9, 2027</ul>`,
}

// TestNotMoved reads days of one kind of which none was moved.
func TestNotMoved(t *testing.T) {
	for n, body := range notMoved {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if got := readDeadlines(t, "en", body); strings.Contains(got, " from ") {
				t.Errorf("%s\n%s", body, got)
			}
		})
	}
}
