package mailer

import (
	"errors"
	"fmt"
	"net/mail"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// maxAddress bounds an address, in bytes (RFC 5321, 4.5.3.1.3).
const maxAddress = 254

var errAddress = errors.New("no mail address")

// asciiAddress returns an address with its domain as DNS has it. A local part that is
// not ASCII stays as it is: such mail needs SMTPUTF8.
func asciiAddress(address string) (string, error) {
	parsed, err := mail.ParseAddress(brackets(address))
	at := strings.LastIndexByte(address, '@')
	switch {
	case err != nil || parsed.Address != address || at < 1 || !utf8.ValidString(address):
		return "", fmt.Errorf("%q: %w", shown(address), errAddress)
	case strings.ContainsFunc(address, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(`<>()",;:\[]`, r)
	}):
		return "", fmt.Errorf("%q: %w", shown(address), errAddress)
	}
	domain, err := idna.Lookup.ToASCII(address[at+1:])
	if err != nil {
		return "", fmt.Errorf("%q: %w: its domain: %w", shown(address), errAddress, err)
	}
	if address = address[:at+1] + domain; len(address) > maxAddress {
		return "", fmt.Errorf("%q: %w: it is longer than %d bytes", shown(address), errAddress, maxAddress)
	}
	return address, nil
}

// shown is the beginning of an address for a message.
func shown(address string) string { return address[:min(len(address), maxAddress)] }

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e || r < 0x20 })
}

// helloName is the name that we greet servers with.
func helloName() string {
	name, err := os.Hostname()
	if err != nil || name == "" || !isASCII(name) || strings.ContainsAny(name, " <>@") {
		return "localhost"
	}
	return name
}
