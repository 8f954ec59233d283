package mailbox

import (
	"bufio"
	"regexp"
	"slices"
	"strings"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"
	"github.com/emersion/go-message/textproto"
)

// Limits for a plain digest (RFC 1153, written by Mailman, LISTSERV and Majordomo). Its messages each follow
// a line of hyphens and have a header of their own. There must be at least two, because a single one may be a
// quoted message.
const (
	minDigest       = 2
	maxInnerHeader  = 40 // lines of the header of a nested message
	maxHeaderOffset = 3  // empty lines above it
)

var hyphens = regexp.MustCompile(`^-{25,80}\s*$`)

// digestOf returns the messages of a plain digest, none if the text is not a digest.
func digestOf(text string) []mailMessage {
	if !strings.Contains(text, "-------------------------") {
		return nil
	}
	lines := strings.Split(text, "\n")
	var letters []mailMessage
	open := false // true inside a message that began at line start
	start := 0
	end := func(at int) {
		if open {
			l := &letters[len(letters)-1]
			l.plain.WriteString(strings.Trim(strings.Join(lines[start:at], "\n"), "\n") + "\n")
		}
		open = false
	}
	for i := 0; i < len(lines); i++ {
		if !hyphens.MatchString(lines[i]) {
			continue
		}
		header, n := innerHeader(lines[i+1:])
		switch {
		case n == 0:
			below := lines[i+1 : min(len(lines), i+2+maxHeaderOffset)]
			if open && slices.ContainsFunc(below, func(line string) bool { return digestEnd.MatchString(strings.TrimSpace(line)) }) {
				end(i)
			}
		case isCompleteHeader(header):
			end(i)
			letters = append(letters, newMailMessage(header))
			i += n
			open, start = true, i+1
		case digestFooter.MatchString(header.Get("Subject")):
			end(i)
		}
	}
	end(len(lines))
	if len(letters) < minDigest {
		return nil
	}
	return letters
}

var (
	digestEnd    = regexp.MustCompile(`(?i)^(?:end of .*(?:digest|volume|vol\b|issue)|.*\bdigest\b.*\bends?\b)`)
	digestFooter = regexp.MustCompile(`(?i)\bdigest\b.*\bfooter\b`)
)

// isCompleteHeader reports whether a header has a sender, and a date or subject.
func isCompleteHeader(h *mail.Header) bool {
	return h.Has("From") && (h.Has("Subject") || h.Has("Date"))
}

// innerHeader reads the header of a message in a text, which begins within the first lines and ends
// at an empty line. It also returns the number of lines to its end, 0 if there is none.
func innerHeader(lines []string) (*mail.Header, int) {
	at := 0
	for at < len(lines) && at < maxHeaderOffset && strings.TrimSpace(lines[at]) == "" {
		at++
	}
	var raw strings.Builder
	n := at
	for ; n < len(lines) && n-at < maxInnerHeader; n++ {
		line := strings.TrimRight(lines[n], " \t\r")
		folded := n > at && line != "" && (line[0] == ' ' || line[0] == '\t')
		if line == "" || !folded && !field.MatchString(line) {
			break
		}
		raw.WriteString(line + "\r\n")
	}
	if n == at || n < len(lines) && strings.TrimSpace(lines[n]) != "" {
		return nil, 0
	}
	header, err := textproto.ReadHeader(bufio.NewReader(strings.NewReader(raw.String() + "\r\n")))
	if err != nil {
		return nil, 0
	}
	return &mail.Header{Header: message.Header{Header: header}}, n
}

// Patterns of the lines that programs put above and below a forwarded message. For a line of hyphens no words
// are needed, because the header below it is sufficient evidence.
var (
	forwardRule  = regexp.MustCompile(`^[> ]*(?:-{2,}[^-].{0,80}-{2,}|-{5,}.{0,80}|_{20,})\s*$`)
	forwardWords = regexp.MustCompile(`(?i)^[> ]*(?:begin forwarded message|forwarded message|(?:original|forwarded) message follows|` +
		`d[ée]but du message (?:r[ée]exp[ée]di[ée]|transf[ée]r[ée])|anfang der weitergeleiteten (?:e-mail|nachricht)|inicio del mensaje reenviado|` +
		`inizio messaggio inoltrato|begin doorgestuurd bericht)\s*:?\s*$`)
	forwardEnd = regexp.MustCompile(`(?i)^[> ]*-{2,}\s*end (?:of )?(?:the )?(?:included|forwarded|original) message.{0,60}$`)
)

// fieldWords are the names of the fields in forwarded messages, in the languages of common mail
// programs, after the standard name.
var fieldWords = [...][2]string{
	{"From", "from von de da van från fra od lähettäjä 发件人 差出人 от kimden nadawca"},
	{"Date", "date sent datum gesendet envoyé fecha enviado enviada data inviato verzonden skickat sendt odesláno lähetetty 发送时间 日期 送信日時 дата отправлено tarih wysłano"},
	{"To", "to an à a para aan till til komu vastaanottaja 收件人 宛先 кому kime do"},
	{"Subject", "subject betreff objet asunto assunto oggetto onderwerp ämne emne předmět aihe 主题 件名 тема konu temat"},
	{"Message-Id", "message-id nachrichten-id"},
	{"Other", "cc cci bcc reply-to resent-from resent-date antwort-an organization mime-version content-type copie kopie kopia"},
}

var headerNames = func() map[string]string {
	names := map[string]string{}
	for _, f := range fieldWords {
		for word := range strings.FieldsSeq(f[1]) {
			names[word] = f[0]
		}
	}
	return names
}()

// maxMark is the maximum number of lines between the mark of a forward and the header of the forwarded
// message.
const maxMark = 2

// findForwarded finds a forwarded message in a text, and returns it and the text around it.
func findForwarded(text string) (around string, inner mailMessage, ok bool) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !forwardRule.MatchString(line) && !forwardWords.MatchString(line) {
			continue
		}
		header, n, quoted := readForwardHeader(lines[i+1:])
		if header == nil {
			continue
		}
		start, end := i+1+n, len(lines)
		for j := start; j < end; j++ {
			if forwardEnd.MatchString(lines[j]) {
				end = j
			}
		}
		body := lines[start:end]
		if quoted {
			body = withoutQuoteMarks(body)
		}
		inner = newMailMessage(header)
		inner.plain.WriteString(strings.Trim(strings.Join(body, "\n"), "\n") + "\n")
		around = strings.Join(lines[:i], "\n")
		if end < len(lines) {
			around += "\n" + strings.Join(lines[end+1:], "\n")
		}
		return around, inner, true
	}
	return "", inner, false
}

// readForwardHeader reads the header that a program shows above a forwarded message: the author, and the date or
// subject. h is nil if there is none. n is the number of lines up to the end of the header. quoted means that
// these lines, and so the message, are marked as quoted.
func readForwardHeader(lines []string) (h *mail.Header, n int, quoted bool) {
	for n < len(lines) && n < maxMark && strings.Trim(lines[n], "> \t\r") == "" {
		n++
	}
	quoted = n < len(lines) && strings.HasPrefix(lines[n], ">")
	fields := textproto.Header{}
	last := ""
	for start := n; n < len(lines) && n-start < maxInnerHeader; n++ {
		line := strings.TrimRight(strings.TrimPrefix(lines[n], ">"), " \t\r")
		bare := strings.TrimLeft(line, " \t*")
		if bare == "" {
			break
		}
		name, value, isField := strings.Cut(bare, ":")
		standard := headerNames[strings.ToLower(strings.Trim(name, " *\u00a0"))]
		switch {
		case isField && standard != "":
			if last = standard; !fields.Has(last) {
				fields.Add(last, headerValue(value))
			}
		case !isField && last == "Subject": // a long subject continues
			fields.Set(last, fields.Get(last)+" "+headerValue(bare))
		case !isField && last == "":
			return nil, 0, false
		}
	}
	header := &mail.Header{Header: message.Header{Header: fields}}
	if !isCompleteHeader(header) {
		return nil, 0, false
	}
	return header, n, quoted
}

func headerValue(s string) string { return strings.Trim(s, " *\t\u00a0") }

// withoutQuoteMarks removes one quote mark from each line, up to the first line without one.
func withoutQuoteMarks(lines []string) []string {
	out := make([]string, 0, len(lines))
	for _, line := range lines {
		bare, marked := strings.CutPrefix(line, ">")
		if !marked && strings.TrimSpace(line) != "" {
			break
		}
		out = append(out, strings.TrimPrefix(bare, " "))
	}
	return out
}
