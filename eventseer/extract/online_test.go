package extract

import (
	"testing"
	"time"
)

func TestRemote(t *testing.T) {
	x := New(Options{Now: func() time.Time { return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) }})
	for _, test := range []struct {
		text           string
		online, hybrid bool
	}{
		{"RDX 2027 will be held virtually on 3-5 May 2027.", true, false},
		{"RDX 2027 will be held in hybrid mode on 3-5 May 2027.", true, true},
		{"The conference will be a fully online event.", true, false},
		{"The workshop takes place on site and online.", true, true},
		{"3-5 May 2027, Athens, Greece (Hybrid)", true, true},
		{"3-5 May 2027, Kurnool, India (Online Mode)", true, false},
		{"21 y 22 de septiembre de 2027 · Modalidad híbrida · Lugar", true, true},
		{"会议将于2027年5月3日线上举行", true, false},
		{"RDX 2027 takes place in Lund on 3-5 May 2027. Remote participation is possible.", true, true},
		{"Remote participation is not possible.", false, false},
		{"Online submission of papers by 3 May 2027.", false, false},
		{"Papers must be submitted online until 3 May 2027.", false, false},
		{"Accepted papers appear in the online proceedings.", false, false},
		{"Topics: hybrid systems, virtual reality, online learning.", false, false},
		{"Hybrid modeling of physical systems", false, false},
		{"The previous workshop was held online.", false, false},
		{"The event will be held on site; online presentations are allowed only if a visa is denied.", false, false},
		{"The conference takes place in Lund on 3-5 May 2027.", false, false},
	} {
		e, _ := x.Extract(parse(t, "p.html", "<h1>RDX 2027 Conference on Reading Dust</h1><p>"+test.text+"</p>"))
		online, hybrid := e.Location != nil && e.Location.Online, e.Location != nil && e.Location.Hybrid
		if online != test.online || hybrid != test.hybrid {
			t.Errorf("%s: online %v, hybrid %v", test.text, online, hybrid)
		}
	}
}
