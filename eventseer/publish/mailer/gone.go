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
	// enhanced is the code of RFC 3463 at the beginning of an answer, anyStatus one
	// anywhere in a text.
	enhanced  = regexp.MustCompile(`^\s*([245]\.\d{1,3}\.\d{1,3})\b`)
	anyStatus = regexp.MustCompile(`(?:^|[\s#(;:-])([245]\.\d{1,3}\.\d{1,3})(?:$|[\s);:,-])`)
	// ours are words of answers that complain of the sender, not of the address.
	ours = regexp.MustCompile(`(?i)relay|authenticat|block(ed|list)|blacklist|spam|policy|reputation|\bdnsbl\b|\brbl\b`)
)

// refusal returns the error of RCPT TO: message.ErrRefused where the server says that the address
// takes no mail. If it complains of us, or the mailbox is full, another try may help later.
func refusal(err error) error {
	var said *textproto.Error
	if errors.As(err, &said) && !slices.Contains(protocol, said.Code) && gone(statusOf(said.Msg), said.Code, said.Msg) {
		return fmt.Errorf("%w: %w", message.ErrRefused, err)
	}
	return err
}

// protocol are the codes of a server that does not understand us, or wants TLS or a
// login first.
var protocol = []int{500, 501, 502, 503, 504, 523, 530, 534, 535, 538}

// letterRefusal returns the error of the email itself. Some servers look at the address only then,
// and say so by their status; any other answer is about the email.
func letterRefusal(err error) error {
	var said *textproto.Error
	if errors.As(err, &said) && gone(statusOf(said.Msg), 0, said.Msg) {
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

// gone reports whether a response says that an address accepts no mail, now and later. It goes by
// the status (RFC 3463) if there is one, else by the code (RFC 5321) and the words.
func gone(status string, code int, text string) bool {
	part := strings.Split(status, ".")
	if len(part) == 3 && status != "5.0.0" {
		return part[0] == "5" && goneBy(part[1], part[2])
	}
	return slices.Contains([]int{521, 550, 551, 553, 554, 556}, code) && !ours.MatchString(text)
}

// goneBy reads the subject and the detail of a permanent status.
func goneBy(subject, detail string) bool {
	switch subject {
	case "1": // the address; 7 and 8 are the sender's
		return detail != "7" && detail != "8"
	case "2": // the mailbox; 2 is full, 3 takes no email as long as this one
		return detail != "2" && detail != "3"
	case "4": // the way there; 7 is that it took too long
		return detail != "7"
	}
	return false
}
