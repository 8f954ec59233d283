package engine

import (
	"cmp"
	"crypto/x509"
	"fmt"
	"io"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/eventseer/publish/mailer"
	"github.com/eventseer/eventseer/eventseer/publish/message"
)

// NewMailer returns the sender of mails: the mail server of the configuration, or, if dryRun is not
// "", the mbox file of that name. It is closed when the command ends.
func NewMailer(a *app.App, dryRun string) (message.Mailer, error) {
	if dryRun == "" {
		return NewSMTP(a, nil)
	}
	o, err := mailOptions(a, true)
	if err != nil {
		return nil, err
	}
	if dryRun, err = a.DryRunMailFile(dryRun); err != nil {
		return nil, err
	}
	box, err := mailer.OpenMbox(dryRun, o)
	if err != nil {
		return nil, err
	}
	a.OnClose(box.Close)
	return box, nil
}

// NewSMTP returns the mail server of the configuration; dialogue, if not nil, receives the SMTP
// dialogue.
func NewSMTP(a *app.App, dialogue io.Writer) (*mailer.SMTP, error) {
	if a.Config.SMTPServer == "" {
		return nil, MailUnset(a)
	}
	o, err := mailOptions(a, false)
	if err != nil {
		return nil, err
	}
	o.Dialogue = dialogue
	server, err := mailer.New(o)
	if err != nil {
		return nil, app.Usagef("smtp-server %s: %w", a.Config.SMTPServer, err)
	}
	a.OnClose(server.Close)
	return server, nil
}

// SendsMail reports whether a mail server is set.
func SendsMail(a *app.App) bool { return a.Config.SMTPServer != "" }

// MailUnset returns an error that lists the missing settings for mail, and how to set them.
func MailUnset(a *app.App) error {
	missing := "mail-from is"
	switch c := a.Config; {
	case c.SMTPServer == "" && c.MailFrom == "":
		missing = "smtp-server and mail-from are"
	case c.SMTPServer == "":
		missing = "smtp-server is"
	}
	return app.Usagef("no mail can be sent: %s not set; put these lines into %s: `smtp-server: mail.example.org:587`, `mail-from: EventSeer <seer@example.org>`, "+
		"`base-url: https://seer.example.org/` and, if the server asks for a login, `smtp-user: seer` (its password goes into the file that EVENTSEER_SMTP_PASSWORD_FILE names); "+
		"`eventseer mail test you@example.org` tries them", missing, ConfigPath(a))
}

// ConfigPath returns the path of the config file in use, or of the one to be created.
func ConfigPath(a *app.App) string {
	if path, _ := a.Flags.GetString("config"); path != "" {
		return path
	}
	return a.DefaultConfigPath()
}

// mailOptions returns the mail options of the configuration. A dry run needs no sender.
func mailOptions(a *app.App, dry bool) (mailer.Options, error) {
	c := a.Config
	o := mailer.Options{
		Server: c.SMTPServer, User: c.SMTPUser, Password: string(c.SMTPPassword), TLS: c.SMTPTLS, AllowClear: c.SMTPClear, LeaveAddress: c.MailLeave,
	}
	from := c.MailFrom
	if from == "" && dry {
		from = "EventSeer <eventseer@localhost>"
	}
	switch {
	case from == "":
		return o, MailUnset(a)
	case o.User != "" && o.Password == "" && !dry:
		return o, app.Usagef("smtp-user is set, but no password: set EVENTSEER_SMTP_PASSWORD_FILE to a file that holds it, or smtp-password in %s", ConfigPath(a))
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return o, app.Usagef("mail-from %q is not a sender such as EventSeer <seer@example.org>: %w", from, err)
	}
	o.From = *sender
	o.From.Name = cmp.Or(o.From.Name, "EventSeer")
	if c.MailReplyTo != "" {
		answers, err := mail.ParseAddress(c.MailReplyTo)
		if err != nil {
			return o, app.Usagef("mail-reply-to %q is not a mail address: %w", c.MailReplyTo, err)
		}
		o.ReplyTo = *answers
	}
	if o.Roots, err = readAuthorities("smtp-ca", c.SMTPCA); err != nil {
		return o, err
	}
	if c.MailDKIMKey != "" {
		o.Key, err = DkimKey(a)
	}
	return o, err
}

// readAuthorities returns the certificates of a PEM file, nil if path is "".
func readAuthorities(setting, path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, app.Usagef("%s %s holds no certificate in PEM", setting, path)
	}
	return roots, nil
}

// DkimKey returns the key of mail-dkim-key, which signs for the domain of mail-from.
func DkimKey(a *app.App) (*mailer.Key, error) {
	c := a.Config
	text, err := os.ReadFile(c.MailDKIMKey)
	if err != nil {
		return nil, fmt.Errorf("mail-dkim-key: %w; `eventseer mail dkim --make FILE` makes one", err)
	}
	domain, err := MailDomain(a)
	if err != nil {
		return nil, err
	}
	key, err := mailer.ParseKey(text, domain, c.MailDKIMSelector)
	if err != nil {
		return nil, app.Usagef("mail-dkim-key %s: %w; `eventseer mail dkim --make FILE` makes one", c.MailDKIMKey, err)
	}
	return key, nil
}

// MailDomain returns the domain of the sender.
func MailDomain(a *app.App) (string, error) {
	if a.Config.MailFrom == "" {
		return "", MailUnset(a)
	}
	sender, err := mail.ParseAddress(a.Config.MailFrom)
	if err != nil {
		return "", app.Usagef("mail-from %q is not a sender such as EventSeer <seer@example.org>: %w", a.Config.MailFrom, err)
	}
	return sender.Address[strings.LastIndexByte(sender.Address, '@')+1:], nil
}

// SiteURL returns base-url, ending in "/", otherwise the address at which this machine listens.
func SiteURL(a *app.App) (string, error) {
	base := a.Config.BaseURL
	if base == "" {
		return "http://" + a.Config.Listen + "/", nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", app.Usagef("base-url %q is not the URL of a site such as https://seer.example.org/", base)
	}
	return strings.TrimSuffix(base, "/") + "/", nil
}

// MailSite returns the sender's details for mails.
func MailSite(a *app.App) (message.Site, error) {
	base, err := SiteURL(a)
	return message.Site{Name: "EventSeer", Base: base, Contact: a.Config.Contact}, err
}

// ReaderOptions returns the options for readers and their lists in the data directory, without the
// other databases.
func ReaderOptions(a *app.App) (publish.Options, error) {
	const digestHour = 7 // in the reader's zone
	site, err := MailSite(a)
	return publish.Options{
		Path: filepath.Join(a.Config.Data, app.PublishFile), Site: site, Hour: digestHour, Weekday: time.Monday,
		PerMinute: a.Config.MailRate, Now: a.Now, Log: a.Logger(),
		Crawled: func() time.Time { return LastCrawl(a.Config.Data) },
	}, err
}
