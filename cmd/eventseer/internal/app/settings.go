package app

import "strings"

// Config has all settings. Precedence: flag, then EVENTSEER_* in the environment (also *_FILE),
// then the file, then the default.
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

	Model string `koanf:"model"`

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

// A Setting is one key of the config with its default and description.
type Setting struct {
	Key     string
	Def     any
	Comment string
	global  string // shorthand of the global flag; "-" for a global flag without one
}

// Settings lists each key once; defaults, config file, flags and `config show` are derived from it.
var Settings = []Setting{
	{"data", "", "data directory", "-"},
	{"contact", "", "e-mail address or URL by which site owners reach you; required for a live crawl", "-"},
	{"format", "", "output format: table, jsonl, json or csv; for events also ics, atom, rss and others (see export)", "-"},
	{"output", "-", "file for the result; - is stdout", "o"},
	{"quiet", false, "suppress progress and log messages", "-"},
	{"verbose", false, "print more log messages", "v"},
	{"log-format", "text", "format of log messages: text or json", "-"},
	{"no-color", false, "disable colours (as NO_COLOR does)", "-"},
	{"progress", "auto", "progress of long work: auto, plain, json or none", "-"},
	{"seed", uint64(1), "random seed", "-"},
	{"strategy", "eventseer", "crawl strategy", ""},
	{ModelKey, "", "models that judge instead of those in use for their tasks: model files, and versions of the data directory such as cfp@2 (model list), separated by commas", ""},
	{"workers", 8, "number of concurrent fetches; a replay uses 1 so that it repeats exactly", ""},
	{"backlink-cost", 1.0, "pages of budget that a backlink call costs", ""},
	{"backlink-ttl", "30d", "how long answers of backlink providers are cached; empty answers are cached for a tenth of this time", ""},
	{ProvidersKey, ProviderList(nil), "backlink providers to query besides the local link database, in this order; types: " + strings.Join(providerTypes, ", ") + " (doc/operating.md); absent, English Wikipedia and Marginalia once a contact is set; [] for none", ""},
	{"record-size", "1GB", "size at which a file of --record is closed and the next one begun, unless --record names one file; 0 is no limit", ""},
	{"listen", "127.0.0.1:8080", "address of the web UI", ""},
	{"seeds", "", "starting points of crawls besides DATA/seeds.txt: URLs and files of URLs, separated by commas", ""},
	{"sources", "", "URLs of lists of calls and calendars that serve watches, separated by commas", ""},
	{"admin", "", "HOST:PORT or unix:PATH where a running process shows /metrics, /status, /why, /healthz and /debug/pprof, besides the socket " + AdminSocket + " in its data directory; off for neither", ""},
	{"admin-public", false, "allow an --admin address that other machines can reach", ""},
	{"host-delay", "5s", "minimum delay between requests to the same host", ""},
	{"delay-factor", 1.0, "the delay is also at least this multiple of the host's response time; 0 is off", ""},
	{"max-crawl-delay", "5m", "maximum Crawl-delay of a robots.txt that is obeyed", ""},
	{"politeness", "host", "which requests share a delay: those to one host, one registered domain, or one IP address (host, domain, address)", ""},
	{"per-host", 0, "maximum number of pages fetched per host; 0 is no limit", ""},
	{"per-domain", 0, "maximum number of pages fetched per registered domain; 0 is no limit", ""},
	{"per-depth", 0, "maximum number of pages fetched at each number of steps from a seed; 0 is no limit", ""},
	{"robots", "google", "how robots.txt is parsed: as leniently as Google's parser (google), or strictly by RFC 9309 (strict)", ""},
	{"directives", "obey", "meta robots and X-Robots-Tag: obey or ignore; ignored by default in a replay", ""},
	{"rel", "follow", "links marked nofollow, ugc or sponsored: follow, follow last, or skip", ""},
	{"lists", "on", "sitemaps and feeds as sources of links (off by default in a replay), and the usual addresses of calls if a script makes the menu: on or off", ""},
	{"render", "off", "pages that are empty until their scripts have run: off, on (rendered in a headless Chromium), or unsandboxed (the same as root, who cannot have a sandbox)", ""},
	{"blocklist", "", "file of hosts, .domains and URL prefixes, one per line, that are never fetched; SIGHUP reads it again", ""},
	{"allow-private", false, "also fetch from private and loopback addresses", ""},
	{"parts", "web,crawl,monitor,mail", "parts that serve runs, separated by commas", ""},
	{"crawl-per-day", 2000.0, "maximum number of pages that serve crawls in 24 hours; 0 is no limit", ""},
	{"user-header", "", "header in which a proxy names the signed-in reader, such as X-Remote-User", ""},
	{"user-proxies", "", "addresses or prefixes of trusted proxies, whose headers about clients are believed, separated by commas", ""},
	{"admin-token", "", "token of /admin; if unset, serve creates one at its first start in the file " + TokenFile + " of the data directory; better set in EVENTSEER_ADMIN_TOKEN or in the file that EVENTSEER_ADMIN_TOKEN_FILE names", ""},
	{"people", false, "show committees in the web UI; mind the law on personal data", ""},
	{"synonyms", "own", "synonyms that searches and saved searches match too: own for the built-in sets, and files of sets, MyThes .dat files and a WordNet folder, separated by commas; off for none", ""},
	{"dumps", true, "write a dump of all events once a day, for /data", ""},
	{"name", "", "name of this process in a cluster, the same after a restart (default the name of the machine)", ""},
	{"bucket", "eventseer", "name of the cluster; several clusters can share the nodes of NATS", ""},
	{"replicas", 0, "number of copies that the nodes store; 0 is 3 in a cluster of nodes and 1 at a single one", ""},
	{"nats", defaultNode, "nats://HOST:PORT or tls://HOST:PORT of some nodes of NATS, separated by commas", ""},
	{"nats-creds", "", "credentials file of NATS", ""},
	{"nats-ca", "", "file of certificates in PEM of the authorities that sign the nodes' certificates", ""},
	{"nats-cert", "", "certificate in PEM that is shown to the nodes", ""},
	{"nats-key", "", "private key of nats-cert", ""},
	{"nats-listen", "", "HOST:PORT at which control runs a node of NATS for clients; without it control runs none", ""},
	{"nats-cluster", "", "HOST:PORT at which the node accepts other nodes", ""},
	{"nats-routes", "", "HOST:PORT of the other nodes, separated by commas", ""},
	{"nats-config", "", "configuration file of nats-server for the node: users, credentials, limits", ""},
	{"nats-store", "0", "disk for links in transit per node, and as much again for events (about 1.5 KB each); 0 keeps the present limit, 3GB at first", ""},
	{"nats-open", false, "let the node listen on an address that other machines can reach without nats-cert and nats-ca, or nats-config: anyone who reaches it controls the cluster", ""},
	{"imap-server", "", "HOST:PORT of the IMAP server that mail fetch reads", ""},
	{"imap-user", "", "user name for imap-server", ""},
	{"imap-password", "", "password for imap-server; better set in EVENTSEER_IMAP_PASSWORD or in the file that EVENTSEER_IMAP_PASSWORD_FILE names", ""},
	{"imap-folders", "INBOX", "folders of imap-server to read, separated by commas", ""},
	{"base-url", "", "public URL of the web UI, such as https://seer.example/; links in mails, calendars and feeds begin with it", ""},
	{"smtp-server", "", "HOST:PORT of the mail server that sends our mails; without it no mail is sent", ""},
	{"smtp-user", "", "user name for smtp-server; without it there is no login", ""},
	{"smtp-password", "", "password for smtp-server; better set in EVENTSEER_SMTP_PASSWORD or in the file that EVENTSEER_SMTP_PASSWORD_FILE names", ""},
	{"smtp-tls", "starttls", "encryption to smtp-server: starttls, tls from the start (port 465), or none, which is allowed for a loopback address only", ""},
	{"smtp-ca", "", "file of certificates in PEM of the authorities that sign the certificate of smtp-server, instead of the system's", ""},
	{"smtp-clear", false, "allow smtp-tls none for an address that is not loopback: mails and password can then be read in transit", ""},
	{"mail-from", "", "sender of our mails, such as EventSeer <seer@seer.example>; bounces go there too", ""},
	{"mail-reply-to", "", "address for replies to our mails (default mail-from)", ""},
	{"mail-leave", "", "address to which mail programs write to leave a list; mail bounces reads these mails", ""},
	{"bounce-folder", "", "folder of imap-server for bounced mails and mails to mail-leave; mail bounces reads it", ""},
	{"mail-rate", 120, "maximum number of mails sent a minute; 0 is 60", ""},
	{"mail-dkim-key", "", "file with the private key (PEM, RSA or Ed25519) that signs our mails; mail dkim creates one and prints its DNS record; without it the mail server may sign", ""},
	{"mail-dkim-selector", "eventseer", "name of that key in DNS: SELECTOR._domainkey.DOMAIN", ""},
}

// ModelKey is the setting of models, whose flag may be repeated.
const ModelKey = "model"

// AdminSocket is the socket in a data directory at which the process that has it open serves its
// operator.
const AdminSocket = "admin.sock"

// TokenFile is the file in a data directory with the operator's token, used if no setting contains
// one. Backups do not include it.
const TokenFile = "admin-token"

// defaultNode is the default address of a cluster.
const defaultNode = "nats://127.0.0.1:4222"
