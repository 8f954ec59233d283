package app

import "strings"

// Config holds every setting. Precedence: flag, then EVENTSEER_* in the
// environment (also *_FILE), then the file, then the default.
type Config struct {
	Data      string `koanf:"data"`
	Contact   string `koanf:"contact"`
	Format    string `koanf:"format"`
	Output    string `koanf:"output"`
	Quiet     bool   `koanf:"quiet"`
	Verbose   bool   `koanf:"verbose"`
	LogFormat string `koanf:"log-format"`
	NoColor   bool   `koanf:"no-color"`
	Progress  string `koanf:"progress"`
	Seed      uint64 `koanf:"seed"`

	Strategy     string       `koanf:"strategy"`
	Workers      int          `koanf:"workers"`
	BacklinkCost float64      `koanf:"backlink-cost"`
	BacklinkTTL  Duration     `koanf:"backlink-ttl"`
	Providers    ProviderList `koanf:"backlinks.providers"`
	RecordSize   Size         `koanf:"record-size"`
	Listen       string       `koanf:"listen"`
	Seeds        string       `koanf:"seeds"`
	Sources      string       `koanf:"sources"`
	Admin        string       `koanf:"admin"`
	AdminPublic  bool         `koanf:"admin-public"`

	HostDelay     Duration `koanf:"host-delay"`
	DelayFactor   float64  `koanf:"delay-factor"`
	MaxCrawlDelay Duration `koanf:"max-crawl-delay"`
	Politeness    string   `koanf:"politeness"`
	PerHost       int      `koanf:"per-host"`
	PerDomain     int      `koanf:"per-domain"`
	PerDepth      int      `koanf:"per-depth"`
	Robots        string   `koanf:"robots"`
	Directives    string   `koanf:"directives"`
	Rel           string   `koanf:"rel"`
	Lists         string   `koanf:"lists"`
	Render        string   `koanf:"render"`
	Blocklist     string   `koanf:"blocklist"`
	AllowPrivate  bool     `koanf:"allow-private"`

	Parts       string  `koanf:"parts"`
	CrawlPerDay float64 `koanf:"crawl-per-day"`
	UserHeader  string  `koanf:"user-header"`
	UserProxies string  `koanf:"user-proxies"`
	AdminToken  Secret  `koanf:"admin-token"`
	People      bool    `koanf:"people"`
	Synonyms    string  `koanf:"synonyms"`
	Dumps       bool    `koanf:"dumps"`

	Name        string `koanf:"name"`
	Bucket      string `koanf:"bucket"`
	Replicas    int    `koanf:"replicas"`
	Nats        string `koanf:"nats"`
	NatsCreds   string `koanf:"nats-creds"`
	NatsCA      string `koanf:"nats-ca"`
	NatsCert    string `koanf:"nats-cert"`
	NatsKey     string `koanf:"nats-key"`
	NatsListen  string `koanf:"nats-listen"`
	NatsCluster string `koanf:"nats-cluster"`
	NatsRoutes  string `koanf:"nats-routes"`
	NatsConfig  string `koanf:"nats-config"`
	NatsOpen    bool   `koanf:"nats-open"`
	NatsStore   Size   `koanf:"nats-store"`

	IMAPServer   string `koanf:"imap-server"`
	IMAPUser     string `koanf:"imap-user"`
	IMAPPassword Secret `koanf:"imap-password"`
	IMAPFolders  string `koanf:"imap-folders"`

	BaseURL          string `koanf:"base-url"`
	SMTPServer       string `koanf:"smtp-server"`
	SMTPUser         string `koanf:"smtp-user"`
	SMTPPassword     Secret `koanf:"smtp-password"`
	SMTPTLS          string `koanf:"smtp-tls"`
	SMTPCA           string `koanf:"smtp-ca"`
	SMTPClear        bool   `koanf:"smtp-clear"`
	MailFrom         string `koanf:"mail-from"`
	MailReplyTo      string `koanf:"mail-reply-to"`
	MailLeave        string `koanf:"mail-leave"`
	BounceFolder     string `koanf:"bounce-folder"`
	MailRate         int    `koanf:"mail-rate"`
	MailDKIMKey      string `koanf:"mail-dkim-key"`
	MailDKIMSelector string `koanf:"mail-dkim-selector"`
}

// A Setting is one key of the config, its default, and what it is for.
type Setting struct {
	Key     string
	Def     any
	Comment string
	global  string // shorthand of the global flag; "-" for a global flag without one
}

// Settings lists every key once; defaults, config file, flags and `config
// show` all follow it.
var Settings = []Setting{
	{"data", "", "data directory", "-"},
	{"contact", "", "e-mail address or URL by which site owners reach you; needed before a live crawl", "-"},
	{"format", "", "output format: table, jsonl, json or csv; of events also ics, atom, rss and others (see export)", "-"},
	{"output", "-", "file the result is written to, - is stdout", "o"},
	{"quiet", false, "no talk on stderr", "-"},
	{"verbose", false, "more talk on stderr", "v"},
	{"log-format", "text", "format of the talk: text or json", "-"},
	{"no-color", false, "no colours (NO_COLOR works too)", "-"},
	{"progress", "auto", "progress of long work: auto, plain, json or none", "-"},
	{"seed", uint64(1), "seed wherever chance plays", "-"},
	{"strategy", "eventseer", "crawl strategy", ""},
	{"workers", 8, "fetches under way at once; a replay uses 1 so that it repeats exactly", ""},
	{"backlink-cost", 1.0, "pages of budget a backlink call costs", ""},
	{"backlink-ttl", "30d", "how long answers of providers of backlinks are kept, those without links a tenth of it", ""},
	{ProvidersKey, ProviderList(nil), "who is asked for backlinks besides our own links, in this order; types: " + strings.Join(providerTypes, ", ") + " (doc/operating.md)", ""},
	{"record-size", "1GB", "size at which a file of --record is closed and the next one begun, unless --record names one file; 0 is no limit", ""},
	{"listen", "127.0.0.1:8080", "address the web UI listens on", ""},
	{"seeds", "", "what crawls begin from besides DATA/seeds.txt: URLs and files of URLs, separated by commas", ""},
	{"sources", "", "URLs of lists of calls and calendars that serve watches, separated by commas", ""},
	{"admin", "", "HOST:PORT or unix:PATH where a running process shows /metrics, /status, /why, /healthz and /debug/pprof, besides the socket " + AdminSocket + " in its data directory; off for neither", ""},
	{"admin-public", false, "let --admin be an address that others reach", ""},
	{"host-delay", "5s", "shortest pause between two requests to one host", ""},
	{"delay-factor", 1.0, "the pause is also at least so many times what the host's answers take; 0 is off", ""},
	{"max-crawl-delay", "5m", "longest pause that a Crawl-delay of a robots.txt is granted", ""},
	{"politeness", "host", "whose requests wait for each other: one host's, one registered domain's, or one IP address's (host, domain, address)", ""},
	{"per-host", 0, "pages fetched from one host at most; 0 is no limit", ""},
	{"per-domain", 0, "pages fetched from one registered domain at most; 0 is no limit", ""},
	{"per-depth", 0, "pages fetched at each number of steps from a seed at most; 0 is no limit", ""},
	{"robots", "google", "how a robots.txt is read: with the leniencies of google's parser, or strict by RFC 9309", ""},
	{"directives", "obey", "whether meta robots and X-Robots-Tag hold: obey or ignore; ignored in a replay unless asked for", ""},
	{"rel", "follow", "links marked nofollow, ugc or sponsored: follow, follow last, or skip", ""},
	{"lists", "on", "sitemaps and feeds as sources of links (off in a replay unless asked for), and the usual addresses of calls where a script makes the menu: on or off", ""},
	{"render", "off", "pages that show nothing until their scripts have run: off, on (read in a headless Chromium), or unsandboxed (the same as root, who can have no sandbox)", ""},
	{"blocklist", "", "file of hosts, .domains and URL beginnings, one a line, that are never asked; SIGHUP reads it again", ""},
	{"allow-private", false, "also fetch from private and loopback addresses", ""},
	{"parts", "web,crawl,monitor,mail", "what serve runs, separated by commas", ""},
	{"crawl-per-day", 2000.0, "pages that serve crawls in 24 hours; 0 is no limit", ""},
	{"user-header", "", "header in which a proxy names the reader who is signed in there, such as X-Remote-User", ""},
	{"user-proxies", "", "addresses or prefixes of the proxies that are believed about their clients, separated by commas", ""},
	{"admin-token", "", "token of /admin; without it serve makes one at its first start and keeps it in the file " + TokenFile + " of the data directory; better in EVENTSEER_ADMIN_TOKEN or in the file that EVENTSEER_ADMIN_TOKEN_FILE names", ""},
	{"people", false, "let the web UI show committees; mind the law on personal data", ""},
	{"synonyms", "own", "words of the same meaning that searches and saved searches match too: own for our sets, besides files of sets, MyThes .dat files and a WordNet folder, separated by commas; off for none", ""},
	{"dumps", true, "let serve write a dump of all events a day, for /data", ""},
	{"name", "", "name of this process in a cluster, the same after a restart; without it that of the machine", ""},
	{"bucket", "eventseer", "name of a cluster: clusters of other names may share the nodes of NATS", ""},
	{"replicas", 0, "copies of all that the nodes keep; 0 is 3 in a cluster of nodes and 1 at a lone one", ""},
	{"nats", defaultNode, "nats://HOST:PORT or tls://HOST:PORT of some nodes of NATS, separated by commas", ""},
	{"nats-creds", "", "credentials file of NATS", ""},
	{"nats-ca", "", "file of certificates in PEM that the nodes' may be signed by", ""},
	{"nats-cert", "", "certificate in PEM to show to the nodes", ""},
	{"nats-key", "", "its private key", ""},
	{"nats-listen", "", "HOST:PORT at which a node of NATS in control takes clients; without it control has none", ""},
	{"nats-cluster", "", "HOST:PORT at which it takes other nodes", ""},
	{"nats-routes", "", "HOST:PORT of the other nodes, separated by commas", ""},
	{"nats-config", "", "configuration file of nats-server for it: users, credentials, limits", ""},
	{"nats-store", "0", "disk that links under way may take at each node, and the events that were found as much again (1.5 KB each, more or less); 0 is what they may by now, 3GB at first", ""},
	{"nats-open", false, "let it listen on an address that others reach without nats-cert and nats-ca, or nats-config: anybody who reaches it rules the cluster", ""},
	{"imap-server", "", "HOST:PORT of the IMAP server that mail fetch reads", ""},
	{"imap-user", "", "name to log in there with", ""},
	{"imap-password", "", "password there; better in EVENTSEER_IMAP_PASSWORD or in the file that EVENTSEER_IMAP_PASSWORD_FILE names", ""},
	{"imap-folders", "INBOX", "folders to read there, separated by commas", ""},
	{"base-url", "", "URL of the web UI as readers reach it, such as https://seer.example/; links in mails, calendars and feeds begin with it", ""},
	{"smtp-server", "", "HOST:PORT of the mail server that takes our mails; without it none are sent", ""},
	{"smtp-user", "", "name to log in there with; without it nobody logs in", ""},
	{"smtp-password", "", "password there; better in EVENTSEER_SMTP_PASSWORD or in the file that EVENTSEER_SMTP_PASSWORD_FILE names", ""},
	{"smtp-tls", "starttls", "how it is spoken to: starttls, tls from the start (port 465), or none, to a loopback address only", ""},
	{"smtp-ca", "", "file of certificates in PEM that its certificate may be signed by, instead of the system's", ""},
	{"smtp-clear", false, "let smtp-tls be none to an address that is not loopback: mails and password can be read on the way", ""},
	{"mail-from", "", "sender of our mails, such as EventSeer <seer@seer.example>; bounces go there too", ""},
	{"mail-reply-to", "", "where answers to our mails go; without it to mail-from", ""},
	{"mail-leave", "", "address to which mail programs may write to leave a list; mail bounces reads what comes there", ""},
	{"bounce-folder", "", "folder of imap-server into which mails come back, and those to mail-leave; mail bounces reads it", ""},
	{"mail-rate", 120, "mails sent a minute at most; 0 is 60", ""},
	{"mail-dkim-key", "", "file with the private key (PEM, RSA or Ed25519) that signs our mails; mail dkim makes one and prints its DNS record; without it the mail server may sign", ""},
	{"mail-dkim-selector", "eventseer", "name of that key in DNS: SELECTOR._domainkey.DOMAIN", ""},
}

// AdminSocket is the file in a data directory at which the process that has it
// open answers its operator.
const AdminSocket = "admin.sock"

// TokenFile is the file in a data directory that holds the token of the operator's pages,
// where no setting names one. Backups do not have it.
const TokenFile = "admin-token"

// defaultNode is where a cluster is looked for.
const defaultNode = "nats://127.0.0.1:4222"
