package replay

import (
	"testing"
)

func FuzzRules(f *testing.F) {
	f.Add([]byte(someRules), "http://soft.example/a")
	f.Add([]byte(someRules), "http://cal.example/m.php?y=1&m=1")
	f.Add([]byte(someRules), "http://shop.example/?sid=00000000")
	f.Add([]byte(`{"rules":[{"host":"a.example","type":"calendar","match":"/(x)?(y)?.*","template":"{{Y-9}}{{RANDOM:0-0}}"}]}`), "http://a.example/")
	f.Fuzz(func(t *testing.T, hosts []byte, url string) {
		rs, err := parseRules(hosts)
		if err != nil {
			return
		}
		a, err := rs.respondByRule(&Web{}, url)
		if (a == nil) == (err == nil) || a != nil && !isStatus(a.status) {
			t.Errorf("answer %v, %v", a, err)
		}
	})
}
