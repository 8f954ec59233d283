package mailertest

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

func (o Options) mechanisms() []string {
	if o.Mechanisms != nil {
		return o.Mechanisms
	}
	return []string{"PLAIN", "LOGIN", "CRAM-MD5", "SCRAM-SHA-256"}
}

// auth returns the server's side of a mechanism; in is called with the user who has logged in.
func (o Options) auth(mechanism string, in func(user string)) (sasl.Server, error) {
	if !slices.Contains(o.mechanisms(), mechanism) {
		return nil, smtp.ErrAuthUnknownMechanism
	}
	switch mechanism {
	case "PLAIN":
		return sasl.NewPlainServer(func(_, user, password string) error { return o.check(user, password, in) }), nil
	case "LOGIN":
		return o.login(in), nil
	case "CRAM-MD5":
		return o.cram(in), nil
	case "SCRAM-SHA-256":
		return &scramServer{options: o, in: in}, nil
	}
	return nil, smtp.ErrAuthUnknownMechanism
}

func (o Options) check(user, password string, in func(string)) error {
	if user != o.User || password != o.Password {
		return smtp.ErrAuthFailed
	}
	in(user)
	return nil
}

// steps respond to the other side, one step per call.
type steps func(response []byte) (challenge []byte, done bool, err error)

// Next implements sasl.Server.
func (s steps) Next(response []byte) (challenge []byte, done bool, err error) { return s(response) }

// login requests name and password one after the other.
func (o Options) login(in func(string)) steps {
	user, step := "", 0
	return func(response []byte) (challenge []byte, done bool, err error) {
		if step == 0 && response != nil {
			step = 1 // the name came with the command
		}
		step++
		switch step {
		case 1:
			return []byte("Username:"), false, nil
		case 2:
			user = string(response)
			return []byte("Password:"), false, nil
		}
		return nil, true, o.check(user, string(response), in)
	}
}

const cramChallenge = "<1896.697170952@loopback.example>"

// cram returns the mechanism of RFC 2195.
func (o Options) cram(in func(string)) steps {
	asked := false
	return func(response []byte) (challenge []byte, done bool, err error) {
		if !asked {
			asked = true
			return []byte(cramChallenge), false, nil
		}
		sum := hmac.New(md5.New, []byte(o.Password))
		sum.Write([]byte(cramChallenge))
		if string(response) != o.User+" "+hex.EncodeToString(sum.Sum(nil)) {
			return nil, true, smtp.ErrAuthFailed
		}
		in(o.User)
		return nil, true, nil
	}
}

// A scramServer is that of RFC 5802 with SHA-256, without channel binding.
type scramServer struct {
	options Options
	in      func(string)
	step    int
	said    string // so far, joined by commas
	nonce   string
}

const (
	scramSalt   = "salt of a test"
	scramRounds = 4096
)

func (s *scramServer) Next(response []byte) (challenge []byte, done bool, err error) {
	s.step++
	switch s.step {
	case 1:
		if len(response) == 0 {
			s.step = 0
			return []byte{}, false, nil
		}
		return s.first(string(response))
	case 2:
		return s.final(string(response))
	}
	return nil, true, nil
}

func (s *scramServer) first(message string) (challenge []byte, done bool, err error) {
	bare, ok := strings.CutPrefix(message, "n,,")
	if !ok || !strings.HasPrefix(bare, "n="+s.options.User+",r=") {
		return nil, true, smtp.ErrAuthFailed
	}
	s.nonce = strings.TrimPrefix(bare, "n="+s.options.User+",r=") + "+server"
	answer := fmt.Sprintf("r=%s,s=%s,i=%d", s.nonce, base64.StdEncoding.EncodeToString([]byte(scramSalt)), scramRounds)
	s.said = bare + "," + answer
	return []byte(answer), false, nil
}

func (s *scramServer) final(message string) (challenge []byte, done bool, err error) {
	without, proof, ok := strings.Cut(message, ",p=")
	if !ok || without != "c=biws,r="+s.nonce {
		return nil, true, smtp.ErrAuthFailed
	}
	said := []byte(s.said + "," + without)
	salted, err := pbkdf2.Key(sha256.New, s.options.Password, []byte(scramSalt), scramRounds, sha256.Size)
	if err != nil {
		return nil, true, err
	}
	client := mac(salted, []byte("Client Key"))
	stored := sha256.Sum256(client)
	want := mac(stored[:], said)
	subtle.XORBytes(want, want, client)
	if got, err := base64.StdEncoding.DecodeString(proof); err != nil || !hmac.Equal(got, want) {
		return nil, true, smtp.ErrAuthFailed
	}
	s.in(s.options.User)
	signed := mac(mac(salted, []byte("Server Key")), said)
	return []byte("v=" + base64.StdEncoding.EncodeToString(signed)), false, nil
}

func mac(key, text []byte) []byte {
	sum := hmac.New(sha256.New, key)
	sum.Write(text)
	return sum.Sum(nil)
}
