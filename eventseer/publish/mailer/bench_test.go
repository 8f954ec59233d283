package mailer

import (
	"crypto/x509"
	"fmt"
	"testing"

	"github.com/eventseer/eventseer/eventseer/publish/mailertest"
)

// BenchmarkSend measures mails per second to a server on loopback, which stores them: over one connection,
// and over one each.
func BenchmarkSend(b *testing.B) {
	for _, tls := range []string{None, StartTLS} {
		for how, idle := range map[string]int{"one connection": 0, "a connection each": -1} {
			b.Run(fmt.Sprintf("%s/%s", tls, how), func(b *testing.B) {
				s := mailertest.StartWith(b, mailertest.Options{TLS: tls, User: "seer", Password: "hedge hog 7", Mechanisms: []string{"PLAIN"}})
				o := sender(s)
				o.TLS, o.User, o.Password, o.Roots = tls, "seer", "hedge hog 7", x509.NewCertPool()
				o.Roots.AppendCertsFromPEM(s.CA())
				if idle < 0 {
					o.Idle = -1
				}
				m := open(b, o)
				l := letter("ann@home.example")
				for b.Loop() {
					if err := m.Send(b.Context(), l); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "letters/s")
			})
		}
	}
}

// BenchmarkCompose measures the cost of a mail before it is sent.
func BenchmarkCompose(b *testing.B) {
	o := Options{From: sender(mailertest.Start(b)).From}
	l := letter("ann@home.example")
	for b.Loop() {
		if _, _, err := o.composeMail(l); err != nil {
			b.Fatal(err)
		}
	}
}
