package main

import (
	"cmp"
	"crypto/x509"
	"fmt"
	"io"
	"net/mail"
	"net/url"
	"os"
	"strings"

	"eventseer/eventseer/publish/mailer"
	"eventseer/eventseer/publish/message"
)

// newMailer returns what sends letters: the mail server of the configuration, or, if
// dryRun is not "", the mbox file of that name. It is closed when the command ends.
func (a *app) newMailer(dryRun string) (message.Mailer, error) {
	if dryRun == "" {
		return a.newSMTP(nil)
	}
	o, err := a.mailOptions(true)
	if err != nil {
		return nil, err
	}
	if dryRun, err = a.boxFile(dryRun); err != nil {
		return nil, err
	}
	box, err := mailer.OpenMbox(dryRun, o)
	if err != nil {
		return nil, err
	}
	a.onClose(box.Close)
	return box, nil
}

// newSMTP is the mail server of the configuration; dialogue, if not nil, hears what is
// said to it and by it.
func (a *app) newSMTP(dialogue io.Writer) (*mailer.SMTP, error) {
	if a.config.SMTPServer == "" {
		return nil, a.mailUnset()
	}
	o, err := a.mailOptions(false)
	if err != nil {
		return nil, err
	}
	o.Dialogue = dialogue
	server, err := mailer.New(o)
	if err != nil {
		return nil, usagef("smtp-server %s: %w", a.config.SMTPServer, err)
	}
	a.onClose(server.Close)
	return server, nil
}

// sendsMail reports whether a mail server is set.
func (a *app) sendsMail() bool { return a.config.SMTPServer != "" }

// mailUnset says which settings mail waits for, and how they are set.
func (a *app) mailUnset() error {
	missing := "mail-from is"
	switch c := a.config; {
	case c.SMTPServer == "" && c.MailFrom == "":
		missing = "smtp-server and mail-from are"
	case c.SMTPServer == "":
		missing = "smtp-server is"
	}
	return usagef("no mail can be sent: %s not set; put these lines into %s: `smtp-server: mail.example.org:587`, `mail-from: EventSeer <seer@example.org>`, "+
		"`base-url: https://seer.example.org/` and, if the server asks for a login, `smtp-user: seer` (its password goes into the file that EVENTSEER_SMTP_PASSWORD_FILE names); "+
		"`eventseer mail test you@example.org` tries them", missing, a.configPath())
}

// configPath is the config file in use, or to be made.
func (a *app) configPath() string {
	if path, _ := a.flags.GetString("config"); path != "" {
		return path
	}
	return a.defaultConfigPath()
}

// mailOptions are those of the configuration. A dry run needs no sender.
func (a *app) mailOptions(dry bool) (mailer.Options, error) {
	c := a.config
	o := mailer.Options{
		Server: c.SMTPServer, User: c.SMTPUser, Password: string(c.SMTPPassword), TLS: c.SMTPTLS, AllowClear: c.SMTPClear, LeaveAddress: c.MailLeave,
	}
	from := c.MailFrom
	if from == "" && dry {
		from = "EventSeer <eventseer@localhost>"
	}
	switch {
	case from == "":
		return o, a.mailUnset()
	case o.User != "" && o.Password == "" && !dry:
		return o, usagef("smtp-user is set, but no password: set EVENTSEER_SMTP_PASSWORD_FILE to a file that holds it, or smtp-password in %s", a.configPath())
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return o, usagef("mail-from %q is no sender such as EventSeer <seer@example.org>: %w", from, err)
	}
	o.From = *sender
	o.From.Name = cmp.Or(o.From.Name, "EventSeer")
	if c.MailReplyTo != "" {
		answers, err := mail.ParseAddress(c.MailReplyTo)
		if err != nil {
			return o, usagef("mail-reply-to %q is no mail address: %w", c.MailReplyTo, err)
		}
		o.ReplyTo = *answers
	}
	if o.Roots, err = readAuthorities("smtp-ca", c.SMTPCA); err != nil {
		return o, err
	}
	if c.MailDKIMKey != "" {
		o.Key, err = a.dkimKey()
	}
	return o, err
}

// readAuthorities are the certificates of a file in PEM; nil of none.
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
		return nil, usagef("%s %s holds no certificate in PEM", setting, path)
	}
	return roots, nil
}

// dkimKey is the key of mail-dkim-key, which signs for the domain of mail-from.
func (a *app) dkimKey() (*mailer.Key, error) {
	c := a.config
	text, err := os.ReadFile(c.MailDKIMKey)
	if err != nil {
		return nil, fmt.Errorf("mail-dkim-key: %w; `eventseer mail dkim --make FILE` makes one", err)
	}
	domain, err := a.mailDomain()
	if err != nil {
		return nil, err
	}
	key, err := mailer.ParseKey(text, domain, c.MailDKIMSelector)
	if err != nil {
		return nil, usagef("mail-dkim-key %s: %w; `eventseer mail dkim --make FILE` makes one", c.MailDKIMKey, err)
	}
	return key, nil
}

// mailDomain is the domain that mails come from.
func (a *app) mailDomain() (string, error) {
	if a.config.MailFrom == "" {
		return "", a.mailUnset()
	}
	sender, err := mail.ParseAddress(a.config.MailFrom)
	if err != nil {
		return "", usagef("mail-from %q is no sender such as EventSeer <seer@example.org>: %w", a.config.MailFrom, err)
	}
	return sender.Address[strings.LastIndexByte(sender.Address, '@')+1:], nil
}

// siteURL is base-url, ending in "/"; else where this machine listens.
func (a *app) siteURL() (string, error) {
	base := a.config.BaseURL
	if base == "" {
		return "http://" + a.config.Listen + "/", nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", usagef("base-url %q is no URL of a site such as https://seer.example.org/", base)
	}
	return strings.TrimSuffix(base, "/") + "/", nil
}

// mailSite is what letters say of who sends them.
func (a *app) mailSite() (message.Site, error) {
	base, err := a.siteURL()
	return message.Site{Name: "EventSeer", Base: base, Contact: a.config.Contact}, err
}
