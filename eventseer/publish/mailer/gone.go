package mailer

import (
	"errors"
	"fmt"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer/publish/message"
)

var (
	// enhanced matches an enhanced status code (RFC 3463) at the beginning of a response. anyStatus matches
	// one anywhere in a text.
	enhanced  = regexp.MustCompile(`^\s*([245]\.\d{1,3}\.\d{1,3})\b`)
	anyStatus = regexp.MustCompile(`(?:^|[\s#(;:-])([245]\.\d{1,3}\.\d{1,3})(?:$|[\s);:,-])`)
	// aboutSender matches words of responses that complain about the sender, not the address.
	aboutSender = regexp.MustCompile(`(?i)relay|authenticat|block(ed|list)|blacklist|spam|policy|reputation|\bdnsbl\b|\brbl\b`)
)

// recipientError returns the error of RCPT TO. It wraps message.ErrRefused if the server says that the address
// accepts no mail. It does not if the server complains about the sender or the mailbox is full, because a
// later try may succeed.
func recipientError(err error) error {
	var said *textproto.Error
	if errors.As(err, &said) && !slices.Contains(protocol, said.Code) && isAddressGone(statusOf(said.Msg), said.Code, said.Msg) {
		return fmt.Errorf("%w: %w", message.ErrRefused, err)
	}
	return err
}

// protocol has the codes of a server that does not understand a command, or requires TLS or a login first.
var protocol = []int{500, 501, 502, 503, 504, 523, 530, 534, 535, 538}

// contentError returns the error of the mail's content. Some servers check the address only then and report
// it by the status code. Other errors are about the mail.
func contentError(err error) error {
	var said *textproto.Error
	if errors.As(err, &said) && isAddressGone(statusOf(said.Msg), 0, said.Msg) {
		return fmt.Errorf("%w: %w", message.ErrRefused, err)
	}
	return err
}

func statusOf(answer string) string {
	if m := enhanced.FindStringSubmatch(answer); m != nil {
		return m[1]
	}
	return ""
}

// isAddressGone reports whether a response means that an address permanently accepts no mail. It uses the status (RFC
// 3463) if there is one, otherwise the code (RFC 5321) and the words.
func isAddressGone(status string, code int, text string) bool {
	part := strings.Split(status, ".")
	if len(part) == 3 && status != "5.0.0" {
		return part[0] == "5" && isAddressStatus(part[1], part[2])
	}
	return slices.Contains([]int{521, 550, 551, 553, 554, 556}, code) && !aboutSender.MatchString(text)
}

// isAddressStatus reports whether a permanent status with this subject and detail is about the address.
func isAddressStatus(subject, detail string) bool {
	switch subject {
	case "1": // the address; 7 and 8 are about the sender's
		return detail != "7" && detail != "8"
	case "2": // the mailbox; 2 means full, 3 that the mail is too long
		return detail != "2" && detail != "3"
	case "4": // the route; 7 means that delivery took too long
		return detail != "7"
	}
	return false
}
