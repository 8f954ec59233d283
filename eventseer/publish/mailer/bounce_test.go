package mailer

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Mails as servers write them, in our own words.
var returnedMails = map[string]string{
	"a report": `From: MAILER-DAEMON@mx.example (Mail Delivery System)
To: seer@seer.example
Subject: Undelivered Mail Returned to Sender
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: text/plain; charset=us-ascii

Sorry, bea@home.example and others did not get it: 550.

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example
Arrival-Date: Sun, 22 Nov 2026 09:30:00 +0000

Final-Recipient: rfc822; ann.new@home.example
Original-Recipient: rfc822;ann@home.example
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 <ann.new@home.example>:
    no such user here

Final-Recipient: rfc822; full@home.example
Action: failed
Status: 5.2.2
Diagnostic-Code: smtp; 552 5.2.2 mailbox full

Final-Recipient: rfc822; slow@home.example
Action: delayed
Status: 4.4.1

Final-Recipient: RFC822; <policy@home.example>
Action: failed
Status: 5.7.1

--b
Content-Type: message/rfc822

From: EventSeer <seer@seer.example>
Message-ID: <digest.7f@seer.example>
Subject: 2 new calls

text
--b--
`,
	"a report of few words": `From: <>
To: seer@seer.example
Subject: Zustellung
Content-Type: multipart/report; boundary=b

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822;ann@home.example
Action: failed
Status: 5.0.0
Diagnostic-Code: smtp;550 unknown

--b
Content-Type: text/rfc822-headers

Received: from x
Message-ID:
 <digest.7f@seer.example>
--b--
`,
	"a report in UTF-8": `From: postmaster@mx.example
Subject: Failure
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: message/global-delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: utf-8; ann@bücher.example
Action: failed
Status: 5.4.4

--b--
`,
	"exim": `From: Mail Delivery System <Mailer-Daemon@mx.example>
To: seer@seer.example
X-Failed-Recipients: ann@home.example
Auto-Submitted: auto-replied
Subject: Mail delivery failed: returning message to sender

A message that you sent did not get through to one of its recipients. This is a permanent error.

  ann@home.example
    host mx.home.example [192.0.2.7]
    SMTP error from remote mail server after RCPT TO:<ann@home.example>:
    550 5.1.1 nobody of this name

------ This is a copy of the message, including all the headers. ------

Message-ID: <digest.7f@seer.example>
To: ann@home.example
`,
	"qmail": `Return-Path: <>
From: MAILER-DAEMON@mx.example
To: seer@seer.example
Subject: failure notice

Hi. The mail program at mx.example could not deliver this.

<ann@home.example>:
Sorry, no mailbox here by that name. (#5.1.1)

--- Below this line is a copy of the message.

Return-Path: <seer@seer.example>
Message-ID: <digest.7f@seer.example>
`,
	"old sendmail": `From: Mail Delivery Subsystem <MAILER-DAEMON@mx.example>
To: <seer@seer.example>
Subject: Returned mail: see transcript for details

   ----- The following addresses had permanent fatal errors -----
<ann@home.example>
    (reason: 550 unknown user)

   ----- Transcript of session follows -----
`,
	"a delay": `From: Mail Delivery System <Mailer-Daemon@mx.example>
X-Failed-Recipients: ann@home.example
Subject: Warning: message has not yet been delivered

ann@home.example
  Delay reason: 451 later. It has not yet been delivered, and will be retried for 4 days.
`,
	"a holiday": `From: Ann <ann@home.example>
To: seer@seer.example
Return-Path: <>
Auto-Submitted: auto-replied
Subject: Rejected sun: I am away, mail could not be delivered to my brain

Ask bea@home.example. Room 550, 5.1.1 is nice.
`,
	"an answer": `From: Ann <ann@home.example>
Subject: Re: returned mail

ann@home.example has error 550 5.1.1
`,
	"a receipt": `From: Ann <ann@home.example>
Subject: Read: failure notice
Content-Type: multipart/report; report-type=disposition-notification; boundary=b

--b
Content-Type: message/disposition-notification

Final-Recipient: rfc822;ann@home.example
Disposition: automatic-action/MDN-sent-automatically; displayed
--b--
`,
	"a complaint": `From: feedback@home.example
Subject: complaint
Content-Type: multipart/report; report-type=feedback-report; boundary=b

--b
Content-Type: text/plain

Somebody does not want this.
--b
Content-Type: message/feedback-report

Feedback-Type: abuse
User-Agent: Complaints/1
Original-Rcpt-To: ann@home.example

--b
Content-Type: message/rfc822

Message-ID: <digest.7f@seer.example>

text
--b--
`,
}

func TestReadBounces(t *testing.T) {
	const id = "digest.7f@seer.example"
	for name, want := range map[string][]Bounce{
		"a report": {
			{"ann@home.example", id, true, "5.1.1 smtp; 550 5.1.1 <ann.new@home.example>: no such user here"},
			{"full@home.example", id, false, "5.2.2 smtp; 552 5.2.2 mailbox full"},
			{"policy@home.example", id, false, "5.7.1"},
		},
		"a report of few words": {{"ann@home.example", id, true, "5.0.0 smtp;550 unknown"}},
		"a report in UTF-8":     {{"ann@xn--bcher-kva.example", "", true, "5.4.4"}},
		"exim":                  {{"ann@home.example", id, true, "host mx.home.example [192.0.2.7] SMTP error from remote mail server after RCPT TO:<ann@home.example>: 550 5.1.1 nobody of this name"}},
		"qmail":                 {{"ann@home.example", id, true, "Sorry, no mailbox here by that name. (#5.1.1)"}},
		"old sendmail":          {{"ann@home.example", "", true, "(reason: 550 unknown user) ----- Transcript of session follows -----"}},
		"a delay":               nil, "a holiday": nil, "an answer": nil, "a receipt": nil,
		"a complaint": {{"ann@home.example", id, true, "complaint: abuse"}},
	} {
		for _, end := range []string{"\n", "\r\n"} {
			got, err := ReadBounces(strings.NewReader(strings.ReplaceAll(returnedMails[name], "\n", end)))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", name, d)
			}
		}
	}
	if _, err := ReadBounces(strings.NewReader("")); err == nil {
		t.Error("nothing is a mail")
	}
}

func FuzzReadBounces(f *testing.F) {
	for _, mail := range returnedMails {
		f.Add([]byte(mail))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		found, err := ReadBounces(bytes.NewReader(raw))
		if err != nil && found != nil {
			t.Errorf("both %v and %v", found, err)
		}
		if len(found) > maxReturners {
			t.Errorf("%d bounces", len(found))
		}
		for _, b := range found {
			if len(b.Detail) > maxDetail+len("…") || strings.ContainsAny(b.Detail, "\r\n\x00") {
				t.Errorf("detail %q", b.Detail)
			}
			if _, err := asciiAddress(b.Address); b.Address != "" && err != nil {
				t.Errorf("address %q: %v", b.Address, err)
			}
			if b.MessageID != "" && !messageID.MatchString(b.MessageID) {
				t.Errorf("message %q", b.MessageID)
			}
		}
		again, _ := ReadBounces(bytes.NewReader(raw))
		if d := cmp.Diff(found, again); d != "" {
			t.Errorf("another reading: %s", d)
		}
	})
}
