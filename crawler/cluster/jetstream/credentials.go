package jetstream

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// A Role determines what the holder of credentials may do on the bus.
type Role string

// Roles. Their permissions are in the function permissions.
const (
	RoleManager Role = "manager" // may do everything in the cluster's account
	RoleCrawler Role = "crawler" // may write the entries of one crawler, and read the bucket and the queues
	RoleReader  Role = "reader"  // may read the bucket and request pages from crawlers
)

// Roles returns all roles.
func Roles() []Role { return []Role{RoleManager, RoleCrawler, RoleReader} }

// AnyName is the name in credentials that are valid for crawlers of any name.
const AnyName = "*"

// An Authority issues and revokes the credentials of one bus. Its owner controls the bus. It is
// stored as JSON in a file that only its owner can read, and no node needs it.
type Authority struct {
	Bucket string `json:"bucket"`
	// Seeds of nkeys. The operator signs accounts; the key of each role signs users with that role.
	Operator string          `json:"operator"`
	Account  string          `json:"account"`
	System   string          `json:"system"`
	Signers  map[Role]string `json:"signers"`
	Node     NodeAccess      `json:"node"`
	Issued   []Issued        `json:"issued"`

	Certificates []RevokedCertificate `json:"certificates,omitempty"`
}

// A NodeAccess is what a node needs to authenticate clients and other nodes. All nodes of a cluster have
// the same one. Only the secret keeps others from joining as a node.
type NodeAccess struct {
	Operator string `json:"operator"` // JWTs
	Account  string `json:"account"`
	System   string `json:"system"`
	Secret   string `json:"secret"` // with which nodes authenticate to each other
}

// An Issued is a record of issued credentials.
type Issued struct {
	Name    string    `json:"name"`
	Role    Role      `json:"role"`
	Key     string    `json:"key"` // public
	At      time.Time `json:"at"`
	Expires time.Time `json:"expires,omitzero"`
	Revoked time.Time `json:"revoked,omitzero"`
}

// NewAuthority creates the keys of a bus. All credentials that it issues are for the given bucket.
func NewAuthority(bucket string) (*Authority, error) {
	if !validBucket.MatchString(bucket) {
		return nil, fmt.Errorf("bus: bucket %q must have at most 32 letters, digits, - and _", bucket)
	}
	a := &Authority{Bucket: bucket, Signers: map[Role]string{}}
	var err error
	seed := func(make func() (nkeys.KeyPair, error)) string {
		k, e := make()
		if e != nil {
			err = errors.Join(err, e)
			return ""
		}
		s, e := k.Seed()
		err = errors.Join(err, e)
		return string(s)
	}
	a.Operator, a.Account, a.System = seed(nkeys.CreateOperator), seed(nkeys.CreateAccount), seed(nkeys.CreateAccount)
	for _, r := range Roles() {
		a.Signers[r] = seed(nkeys.CreateAccount)
	}
	if err != nil {
		return nil, fmt.Errorf("keys of the bus: %w", err)
	}
	a.Node.Secret = rand.Text()
	if err := a.renewJWTs(); err != nil {
		return nil, fmt.Errorf("keys of the bus: %w", err)
	}
	return a, nil
}

// keyPair returns the key pair of a seed and its public key.
func keyPair(seed string) (nkeys.KeyPair, string, error) {
	k, err := nkeys.FromSeed([]byte(seed))
	if err != nil {
		return nil, "", err
	}
	public, err := k.PublicKey()
	return k, public, err
}

// renewJWTs renews the JWTs of Node with the permissions of this version of the program and the revocations.
func (a *Authority) renewJWTs() error {
	op, opKey, err := keyPair(a.Operator)
	if err != nil {
		return err
	}
	_, account, err := keyPair(a.Account)
	if err != nil {
		return err
	}
	_, system, err := keyPair(a.System)
	if err != nil {
		return err
	}
	oc := jwt.NewOperatorClaims(opKey)
	oc.Name, oc.SystemAccount = "eventseer", system
	ac := jwt.NewAccountClaims(account)
	ac.Name = a.Bucket
	ac.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
	for _, role := range Roles() {
		_, signer, err := keyPair(a.Signers[role])
		if err != nil {
			return fmt.Errorf("key of role %s: %w", role, err)
		}
		scope := jwt.NewUserScope()
		scope.Key, scope.Role, scope.Template = signer, string(role), permissions(role, a.Bucket)
		ac.SigningKeys.AddScopedSigner(scope)
	}
	for _, i := range a.Issued {
		if !i.Revoked.IsZero() {
			ac.RevokeAt(i.Key, i.Revoked)
		}
	}
	a.tagRevoked(ac)
	if err := a.awaitNextSecond(); err != nil {
		return err
	}
	sc := jwt.NewAccountClaims(system)
	sc.Name = "system"
	if a.Node.Operator, err = oc.Encode(op); err != nil {
		return err
	}
	if a.Node.Account, err = ac.Encode(op); err != nil {
		return err
	}
	a.Node.System, err = sc.Encode(op)
	return err
}

// awaitNextSecond waits until a JWT is later than that of Node. Nodes keep the later of two, to
// the second, and would drop the second of two revocations at once.
func (a *Authority) awaitNextSecond() error {
	if a.Node.Account == "" {
		return nil
	}
	last, err := jwt.DecodeAccountClaims(a.Node.Account)
	if err != nil {
		return err
	}
	next := time.Unix(last.IssuedAt+1, 0)
	if wait := time.Until(next); wait > time.Second {
		return fmt.Errorf("the clock is before %s, the time of the last change of the cluster's keys, so nodes would ignore this change; correct the clock", next.Format(time.RFC3339))
	} else if wait > 0 {
		time.Sleep(wait)
	}
	return nil
}

// IssueCredentials returns new credentials as the text of a .creds file of NATS. Credentials for a crawler are valid
// for its name only, or for any name if name is AnyName. If expires is zero, they never expire.
func (a *Authority) IssueCredentials(role Role, name string, now, expires time.Time) ([]byte, error) {
	seed, known := a.Signers[role]
	switch {
	case !known:
		return nil, fmt.Errorf("no role %q: %v", role, Roles())
	case !cluster.ValidName(name) && (name != AnyName || role != RoleCrawler):
		return nil, fmt.Errorf("the name %.100q must have 1 to %d letters, digits, - and _", name, cluster.MaxName)
	case !expires.IsZero() && !expires.After(now):
		return nil, fmt.Errorf("credentials of %s would expire at %s, which is in the past", name, expires.Format(time.RFC3339))
	}
	signer, _, err := keyPair(seed)
	if err != nil {
		return nil, err
	}
	user, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	public, err := user.PublicKey()
	if err != nil {
		return nil, err
	}
	_, account, err := keyPair(a.Account)
	if err != nil {
		return nil, err
	}
	uc := jwt.NewUserClaims(public)
	uc.Name, uc.IssuerAccount = name, account
	uc.SetScoped(true)
	uc.Tags.Add("role:"+string(role), "bucket:"+a.Bucket)
	if !expires.IsZero() {
		uc.Expires = expires.Unix()
	}
	token, err := uc.Encode(signer)
	if err != nil {
		return nil, err
	}
	own, err := user.Seed()
	if err != nil {
		return nil, err
	}
	a.Issued = append(a.Issued, Issued{Name: name, Role: role, Key: public, At: now, Expires: expires})
	return jwt.FormatUserConfig(token, own)
}

// ErrNotIssued means that no credentials with the name exist, or that all are revoked.
var ErrNotIssued = errors.New("no credentials were issued for that name, or all are revoked")

// RevokeCredentials revokes all credentials with a name. It takes effect when the nodes get the new Node: see
// PushAccessRules.
func (a *Authority) RevokeCredentials(name string, now time.Time) error {
	revoked := 0
	for i := range a.Issued {
		if one := &a.Issued[i]; one.Name == name && one.Revoked.IsZero() {
			one.Revoked = now
			revoked++
		}
	}
	if revoked == 0 {
		return fmt.Errorf("%s: %w", name, ErrNotIssued)
	}
	return a.renewJWTs()
}

// pushWait is how long Push waits for the response of another node.
const pushWait = 2 * time.Second

// PushAccessRules sends the current access rules to the running nodes and returns how many accepted them. Revoked
// clients are disconnected at once. A node that is down gets the rules from the others when it starts.
func (a *Authority) PushAccessRules(ctx context.Context, o Options) (nodes int, err error) {
	system, _, err := keyPair(a.System)
	if err != nil {
		return 0, err
	}
	user, err := nkeys.CreateUser()
	if err != nil {
		return 0, err
	}
	public, err := user.PublicKey()
	if err != nil {
		return 0, err
	}
	uc := jwt.NewUserClaims(public)
	uc.Expires = time.Now().Add(time.Minute).Unix() // of this call alone
	token, err := uc.Encode(system)
	if err != nil {
		return 0, err
	}
	seed, err := user.Seed()
	if err != nil {
		return 0, err
	}
	opts := []nats.Option{nats.Name("push"), nats.Timeout(callTimeout), nats.UserJWTAndSeed(token, string(seed))}
	if o.TLS != (TLS{}) {
		conf, err := o.TLS.loadConfig()
		if err != nil {
			return 0, err
		}
		opts = append(opts, nats.Secure(conf))
	}
	nc, err := nats.Connect(strings.Join(o.URLs, ","), opts...)
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	return pushAccount(ctx, nc, a.Node.Account)
}

// claimsSubject is the subject on which nodes receive JWTs of accounts from the system account.
const claimsSubject = "$SYS.REQ.CLAIMS.UPDATE"

// pushAccount sends the JWT of an account to all nodes and returns how many accepted it.
func pushAccount(ctx context.Context, nc *nats.Conn, account string) (nodes int, err error) {
	sub, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		return 0, err
	}
	if err := nc.PublishRequest(claimsSubject, sub.Subject, []byte(account)); err != nil {
		return 0, err
	}
	for {
		once, cancel := context.WithTimeout(ctx, pushWait)
		m, err := sub.NextMsgWithContext(once)
		cancel()
		if nodes > 0 && errors.Is(err, context.DeadlineExceeded) {
			return nodes, nil // no more nodes answer
		}
		if err != nil {
			return nodes, err
		}
		var answer struct {
			Error *struct {
				Description string `json:"description"`
			} `json:"error"`
		}
		if err := json.Unmarshal(m.Data, &answer); err != nil {
			return nodes, err
		}
		if answer.Error != nil {
			return nodes, fmt.Errorf("a node refuses the revocation: %s", answer.Error.Description)
		}
		nodes++
	}
}

// A Holder describes for whom credentials were issued.
type Holder struct {
	Name    string
	Role    Role // "" if this program has not issued them
	Bucket  string
	Expires time.Time // zero: never
}

// ReadHolder reads for whom the credentials in a file were issued. It verifies nothing; the nodes do
// that.
func ReadHolder(path string) (h Holder, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return h, err
	}
	token, err := jwt.ParseDecoratedJWT(data)
	if err != nil {
		return h, fmt.Errorf("%s does not contain credentials of NATS: %w", path, err)
	}
	uc, err := jwt.DecodeUserClaims(token)
	if err != nil {
		return h, fmt.Errorf("%s does not contain credentials of NATS: %w", path, err)
	}
	h.Name = uc.Name
	for _, tag := range uc.Tags {
		if role, ok := strings.CutPrefix(tag, "role:"); ok && slices.Contains(Roles(), Role(role)) {
			h.Role = Role(role)
		}
		if bucket, ok := strings.CutPrefix(tag, "bucket:"); ok {
			h.Bucket = bucket
		}
	}
	if uc.Expires > 0 {
		h.Expires = time.Unix(uc.Expires, 0).UTC()
	}
	return h, nil
}

// isLimited reports whether the holder's permissions are limited, as for crawlers and readers.
func (h Holder) isLimited() bool { return h.Role != "" && h.Role != RoleManager }

// inboxPrefix returns the prefix of the subjects on which a holder receives responses. Members with
// another name may not subscribe to them. It is "" for the default prefix of NATS.
func (h Holder) inboxPrefix() string {
	if !h.isLimited() {
		return ""
	}
	return "_INBOX_" + string(h.Role) + "." + strings.ReplaceAll(h.Name, AnyName, "any")
}

// check returns an error if a client with options o cannot work with the credentials of h.
func (h Holder) check(o Options, now time.Time) error {
	switch {
	case h.Role == "":
		return nil // issued by another program: the node decides
	case !h.Expires.IsZero() && !now.Before(h.Expires):
		return fmt.Errorf("%w: %s are credentials of %s %s that expired at %s; `eventseer control issue` creates new ones", ErrForbidden, o.Creds, h.Role, h.Name, h.Expires.Format(time.RFC3339))
	case !strings.EqualFold(h.Bucket, o.Bucket):
		return fmt.Errorf("%w: %s are credentials for cluster %s, not %s", ErrForbidden, o.Creds, h.Bucket, o.Bucket)
	case o.Role != "" && h.Role != o.Role && h.Role != RoleManager:
		return fmt.Errorf("%w: %s are credentials of a %s, but those of a %s are needed; `eventseer control issue %s NAME` creates them", ErrForbidden, o.Creds, h.Role, o.Role, o.Role)
	case o.Role == RoleCrawler && h.Role == RoleCrawler && h.Name != AnyName && h.Name != o.Name:
		return fmt.Errorf("%w: %s are credentials of crawler %s, not %s; `eventseer control issue crawler %s` creates the right ones", ErrForbidden, o.Creds, h.Name, o.Name, o.Name)
	}
	return nil
}

// ErrForbidden means that the nodes refuse what this client tries to do.
var ErrForbidden = errors.New("the credentials do not allow this")

// Limits on the time for responses to a request and on their number.
const (
	answerTime = 10 * time.Minute
	answerMsgs = 1 << 16
)

// permissions returns the permissions of a role, where {{name()}} stands for the holder's name.
// Everything else is denied.
func permissions(role Role, bucket string) (p jwt.UserPermissionLimits) {
	p.Limits = jwt.Limits{UserLimits: jwt.UserLimits{Src: jwt.CIDRList{}}, NatsLimits: jwt.NatsLimits{Subs: jwt.NoLimit, Data: jwt.NoLimit, Payload: jwt.NoLimit}}
	if role == RoleManager {
		return p
	}
	b := &bus{o: Options{Bucket: bucket}}
	entries, links, objects := b.entryStream(), b.linkStream(), "OBJ_"+b.objectStore()
	api := "$JS.API."
	publish := []string{
		api + "STREAM.NAMES", api + "STREAM.INFO." + entries, api + "STREAM.MSG.GET." + entries,
		// A watch of the bucket is a consumer.
		api + "CONSUMER.CREATE." + entries + ".>", api + "CONSUMER.INFO." + entries + ".>", api + "CONSUMER.DELETE." + entries + ".>",
		"$JS.ACK." + entries + ".>", "$JS.FC." + entries + ".>",
	}
	subscribe := []string{"_INBOX_" + string(role) + ".{{name()}}.>"}
	switch role {
	case RoleReader:
		publish = append(publish, b.o.Bucket+".q.page.*")
	case RoleCrawler:
		publish = append(publish,
			api+"STREAM.INFO."+links, api+"STREAM.INFO."+b.eventStream(), api+"STREAM.INFO."+objects,
			b.entrySubject(cluster.WorkerPrefix+"{{name()}}"), b.entrySubject(cluster.PartPrefix+"*"),
			bucket+".u.*", bucket+".e.c.{{name()}}.*",
			api+"CONSUMER.CREATE."+links+".*."+bucket+".u.*", api+"CONSUMER.INFO."+links+".*", api+"CONSUMER.MSG.NEXT."+links+".*", "$JS.ACK."+links+".>",
			"$O."+b.objectStore()+".>", api+"STREAM.MSG.GET."+objects, api+"STREAM.PURGE."+objects)
		subscribe = append(subscribe, bucket+".q.page.{{name()}}")
	}
	p.Permissions = jwt.Permissions{
		Pub: jwt.Permission{Allow: publish}, Sub: jwt.Permission{Allow: subscribe},
		Resp: &jwt.ResponsePermission{MaxMsgs: answerMsgs, Expires: answerTime},
	}
	return p
}
