package backlink

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/eventseer/eventseer/crawler"
)

// Limits of one request to a service.
const (
	// DefaultTimeout bounds a request from the first dial to the last byte.
	DefaultTimeout = 30 * time.Second
	// maxBody is the maximum number of bytes read of a response. A longer list ends there.
	maxBody = 8 << 20
	// maxComplaint is the maximum number of bytes read of an error response.
	maxComplaint = 64 << 10
	// maxQuoted is the maximum number of characters of a response quoted in an error.
	maxQuoted = 80
	// maxNext is the maximum length of a service's cursor, in bytes.
	maxNext = 4096
)

// ClientOptions are the options common to all clients of services.
type ClientOptions struct {
	// HTTP makes the requests and must be set. Like the client of fetch.NewClient, it must send the
	// program's name and contact and refuse private addresses. Redirects are never followed,
	// because they would send a key elsewhere.
	HTTP *http.Client
	// Timeout bounds a request. Zero means DefaultTimeout.
	Timeout time.Duration
	// Now is the clock of ProviderError.After. Nil means time.Now.
	Now func() time.Time
}

// A client requests JSON from one service. It is safe for concurrent use.
type client struct {
	name    string // of the provider
	scopes  []Scope
	api     *url.URL
	key     string
	secrets *strings.Replacer // removes the key, and the password in the address, from errors
	http    http.Client
	timeout time.Duration
	now     func() time.Time
}

// newClient returns the client of the service at api, an http or https URL that may contain a user
// and a password.
func newClient(name, api, key string, scopes []Scope, o ClientOptions) (*client, error) {
	switch u, err := url.Parse(api); {
	case o.HTTP == nil:
		return nil, fmt.Errorf("%s: ClientOptions.HTTP is not set", name)
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%s: its address is not an http or https URL", name) // the error must not contain the URL, which may contain a key
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, fmt.Errorf("%s: the key contains a character that keys cannot contain, such as a space", name)
	default:
		c := &client{name: name, scopes: scopes, api: u, key: key, secrets: secretsOf(key, u.User), http: *o.HTTP, timeout: o.Timeout, now: o.Now}
		c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		c.timeout = cmp.Or(c.timeout, DefaultTimeout)
		if c.now == nil {
			c.now = time.Now
		}
		return c, nil
	}
}

// Name implements Provider.
func (c *client) Name() string { return c.name }

// Scopes implements Provider.
func (c *client) Scopes() []Scope { return c.scopes }

// secretsOf returns a replacer that removes a key and a password in all encodings from a text.
func secretsOf(key string, user *url.Userinfo) *strings.Replacer {
	secrets := []string{key}
	if password, ok := user.Password(); ok {
		secrets = append(secrets, base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)), password)
	}
	var pairs []string
	for _, s := range secrets {
		if s != "" {
			pairs = append(pairs, s, "…", url.QueryEscape(s), "…", url.PathEscape(s), "…")
		}
	}
	return strings.NewReplacer(pairs...)
}

// providerError returns the error of this provider.
func (c *client) providerError(t Trouble, format string, args ...any) *ProviderError {
	return &ProviderError{Provider: c.name, Trouble: t, Err: fmt.Errorf(format, args...)}
}

// getJSON sends a GET request and calls read to decode its JSON response.
func (c *client) getJSON(ctx context.Context, query url.Values, header http.Header, read func(*json.Decoder) error) error {
	u := *c.api
	u.RawQuery = query.Encode()
	return c.sendRequest(ctx, http.MethodGet, u.String(), nil, header, read)
}

// sendRequest sends a request. The error is a *ProviderError; one of read is returned unchanged if it is
// one.
func (c *client) sendRequest(ctx context.Context, method, address string, body []byte, header http.Header, read func(*json.Decoder) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return c.providerError(Nonsense, "the query cannot be encoded as a request")
	}
	for name, values := range header {
		r.Header[name] = values
	}
	r.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(r)
	if err != nil {
		return c.unreachableError(err)
	}
	defer func() { _ = resp.Body.Close() }() // read as far as needed
	if resp.StatusCode/100 != 2 {
		return c.statusError(resp, read)
	}
	return c.decodeResponse(resp, read)
}

// unreachableError wraps an error of net/http without the URL it names.
func (c *client) unreachableError(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return c.providerError(Unreachable, "%s does not respond: %w", c.api.Host, err)
}

// decodeResponse calls responseDecoder to decode the JSON of a response.
func (c *client) decodeResponse(resp *http.Response, read func(*json.Decoder) error) error {
	bounded := &boundedReader{r: resp.Body, left: maxBody}
	b := bufio.NewReaderSize(bounded, 4<<10)
	head, _ := b.Peek(512)
	if isHTML(resp.Header, head) {
		return c.providerError(Nonsense, "%s %w: %s", c.api.Host, errPage, c.quoteResponse(head))
	}
	err := read(json.NewDecoder(b))
	var known *ProviderError
	switch {
	case err == nil || errors.As(err, &known):
		return c.withRetryTime(err, resp.Header)
	case bounded.err != nil:
		return c.unreachableError(bounded.err)
	case bounded.left == 0 && errors.Is(err, errCut):
		return nil
	case bounded.left == 0:
		return c.providerError(Nonsense, "the response of %s is larger than %d MB", c.api.Host, maxBody>>20)
	}
	return c.providerError(Nonsense, "the response of %s is not the expected JSON, it begins %s: %w", c.api.Host, c.quoteResponse(head), err)
}

// errPage means that the response is an HTML page.
var errPage = errors.New("it responds with an HTML page instead of JSON")

// statusError returns the error for a status other than 2xx. A JSON body is passed to read, which knows
// the service's own errors.
func (c *client) statusError(resp *http.Response, read func(*json.Decoder) error) error {
	if resp.StatusCode/100 == 3 {
		return c.providerError(Unreachable, "%s redirects to %s: configure that address if it is right", c.api.Host, c.quoteResponse([]byte(resp.Header.Get("Location"))))
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxComplaint))
	trouble := troubleOf(resp.StatusCode, string(body))
	var known *ProviderError
	if !isHTML(resp.Header, body) && errors.As(read(json.NewDecoder(bytes.NewReader(body))), &known) {
		if known.Trouble == Nonsense {
			known.Trouble = trouble
		}
		return c.withRetryTime(known, resp.Header)
	}
	said := ""
	if q := c.quoteResponse(body); q != `""` {
		said = ": " + q
	}
	return c.withRetryTime(c.providerError(trouble, "%s answers %d %s%s", c.api.Host, resp.StatusCode, http.StatusText(resp.StatusCode), said), resp.Header)
}

// troubleOf returns the kind of failure of a status other than 2xx.
func troubleOf(status int, body string) Trouble {
	switch {
	case status == http.StatusPaymentRequired, status/100 == 4 && isAboutQuota(body):
		return QuotaSpent
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return KeyRefused
	case status == http.StatusTooManyRequests, status == http.StatusBadGateway,
		status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		return Busy
	}
	return Unreachable
}

// withRetryTime adds the time of the next permitted query to an error of a busy service.
func (c *client) withRetryTime(err error, h http.Header) error {
	var known *ProviderError
	if errors.As(err, &known) && known.Trouble == Busy {
		known.After = crawler.RetryAfter(h, c.now())
	}
	return err
}

// isAboutQuota reports whether an error is about a spent quota and not about the present load.
func isAboutQuota(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "quota") || strings.Contains(s, "row limit") || strings.Contains(s, "monthly limit")
}

// isHTML reports whether a response is an HTML page, by its type or its first bytes.
func isHTML(h http.Header, head []byte) bool {
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	return kind == "text/html" || kind == "application/xhtml+xml" || bytes.HasPrefix(bytes.TrimSpace(head), []byte("<"))
}

// quoteResponse returns the beginning of a response for an error: at most maxQuoted printable characters,
// without secrets.
func (c *client) quoteResponse(b []byte) string {
	var text []rune
	for _, r := range strings.Join(strings.Fields(c.secrets.Replace(string(b))), " ") {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			text = append(text, r)
		}
		if len(text) == maxQuoted {
			break
		}
	}
	return strconv.Quote(string(text))
}

// A boundedReader reads at most left bytes and records its first error.
type boundedReader struct {
	r    io.Reader
	left int
	err  error // of r, other than io.EOF
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}
