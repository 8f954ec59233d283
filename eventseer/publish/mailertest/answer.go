package mailertest

import (
	"fmt"
	"strings"

	"github.com/emersion/go-smtp"
)

// An Answer is what a server does with letters to an address. The zero Answer takes
// them.
type Answer struct {
	// Code and Text are said to RCPT TO, or to the letter itself if AtData: 450, 550,
	// and so on. Code 0 takes the letter. A status such as 5.7.1 may begin the text; else
	// it is 5.1.1 or 4.1.1.
	Code   int
	Text   string
	AtData bool
	// DropBefore breaks the connection off before the letter is taken, DropAfter when
	// it is taken and not yet said so: the letter is kept as delivered, and the sender
	// does not know.
	DropBefore, DropAfter bool
	// Hold, if not nil, is waited for before the letter, which is kept already, is
	// said to be taken.
	Hold <-chan struct{}
	// Times is how many letters are answered so, after which they are taken. Zero
	// means all.
	Times int
}

// Answer sets what is done with letters to an address from now on.
func (s *Server) Answer(address string, a Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[strings.ToLower(address)] = &a
}

// answer is what is done with the letter that begins now.
func (s *Server) answer(address string) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.answers[strings.ToLower(address)]
	if a == nil {
		return Answer{}
	}
	now := *a
	if a.Times > 0 {
		if a.Times--; a.Times == 0 {
			delete(s.answers, strings.ToLower(address))
		}
	}
	return now
}

// failure is an Answer's error in the protocol, nil of one that takes the letter.
func (a Answer) failure() error {
	if a.Code == 0 {
		return nil
	}
	status, text := smtp.EnhancedCode{a.Code / 100, 1, 1}, a.Text
	if text == "" {
		text = "as the test says"
	}
	if n, err := fmt.Sscanf(text, "%d.%d.%d", &status[0], &status[1], &status[2]); err == nil && n == len(status) {
		_, text, _ = strings.Cut(text, " ")
	} else {
		status = smtp.EnhancedCode{a.Code / 100, 1, 1}
	}
	return &smtp.SMTPError{Code: a.Code, EnhancedCode: status, Message: text}
}
