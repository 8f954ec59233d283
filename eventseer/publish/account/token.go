package account

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Kinds of tokens. Tokens of feeds, digests, votes and unsubscribing consist of a name and an HMAC with the
// key of this server. The HMAC includes the generation of the account or list. So they need not be stored,
// and increasing the generation invalidates them.
const (
	signinToken = "s"
	feedToken   = "f"
	digestToken = "d"
	voteToken   = "v"
	leaveToken  = "u"
)

// maxToken is the maximum length of a token, in bytes.
const maxToken = 200

var (
	secretKey = []byte("tokens")
	encoding  = base64.RawURLEncoding
)

// tokens creates and verifies tokens.
type tokens struct {
	key  []byte
	rand io.Reader
}

// randomBytes returns n random bytes.
func (s *tokens) randomBytes(n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(s.rand, b); err != nil {
		return nil, fmt.Errorf("read random bytes: %w", err)
	}
	return b, nil
}

// newID returns a new random id of 16 hexadecimal digits.
func (s *tokens) newID() (string, error) {
	b, err := s.randomBytes(8)
	return hex.EncodeToString(b), err
}

// makeSecret reads the key of the tokens. It creates the key the first time.
func (s *tokens) makeSecret(tx *bolt.Tx) error {
	if key := tx.Bucket(records.SecretBucket).Get(secretKey); len(key) == 32 {
		s.key = append([]byte(nil), key...)
		return nil
	}
	key, err := s.randomBytes(32)
	if err != nil {
		return err
	}
	s.key = key
	return tx.Bucket(records.SecretBucket).Put(secretKey, key)
}

// newToken returns the token for a kind, a name without "~", and a generation.
func (s *tokens) newToken(kind, name string, generation int) string {
	m := hmac.New(sha256.New, s.key)
	fmt.Fprintf(m, "%s\x00%s\x00%d", kind, name, generation)
	return kind + "~" + name + "~" + encoding.EncodeToString(m.Sum(nil)[:16])
}

// nameIn returns the name in a token without verifying the token. It returns eventseer.ErrNotFound if the
// token is not of the kind.
func nameIn(kind, token string) (string, error) {
	parts := strings.Split(token, "~")
	if len(token) > maxToken || len(parts) != 3 || parts[0] != kind || !isName(parts[1]) {
		return "", eventseer.ErrNotFound
	}
	return parts[1], nil
}

// isName reports whether s has the form of a name in a token.
func isName(s string) bool {
	return s != "" && strings.Trim(s, "0123456789abcdef-") == ""
}

// verify returns eventseer.ErrNotFound unless the token is valid for its name and generation.
func (s *tokens) verify(token, kind, name string, generation int) error {
	if hmac.Equal([]byte(token), []byte(s.newToken(kind, name, generation))) {
		return nil
	}
	return eventseer.ErrNotFound
}

// tokenHash returns the stored form of a sign-in or session token.
func tokenHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// itemID returns the id of an item: the account, the list or AllLists, and the number in its stream.
func itemID(account, list string, seq uint64) string {
	if list == "" {
		list = AllLists
	}
	return account + "-" + list + "-" + strconv.FormatUint(seq, 16)
}

// AllLists stands for the stream of starred events in ids, and for all lists in tokens.
const AllLists = "0"

// splitItemID returns the inverse of itemID.
func splitItemID(id string) (account, list string, seq uint64, err error) {
	parts := strings.Split(id, "-")
	if len(parts) != 3 || !isName(parts[0]) || !isName(parts[1]) {
		return "", "", 0, eventseer.ErrNotFound
	}
	if seq, err = strconv.ParseUint(parts[2], 16, 64); err != nil {
		return "", "", 0, errors.Join(eventseer.ErrNotFound, err)
	}
	if parts[1] == AllLists {
		parts[1] = ""
	}
	return parts[0], parts[1], seq, nil
}
