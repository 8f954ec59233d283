package publish

import (
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

func TestCallName(t *testing.T) {
	for want, e := range map[string]eventseer.Event{
		"ICX 2027: Conference on Examples":         {Title: "Conference on Examples", Acronym: "ICX", Year: 2027},
		"5th Conference on Examples (icx 2027)":    {Title: "5th Conference on Examples (icx 2027)", Acronym: "ICX", Year: 2027},
		"ICX 2027":                                 {Title: "ICX", Acronym: "ICX", Year: 2027},
		"ICX 2026":                                 {Acronym: "ICX", Year: 2026},
		"ICX'27: Conference on Examples":           {Title: "Conference on Examples", Acronym: "ICX'27", Year: 2027},
		"ICX: Conference on Examples":              {Title: "Conference on Examples", Acronym: "ICX"},
		"Special Issue on Examples":                {Title: "Special Issue on Examples", Year: 2027},
		"examples-2027":                            {ID: "examples-2027", Year: 2027},
		"WSX 2027: Workshop on Examples and Tests": {Title: "Workshop on Examples\n and  Tests", Acronym: "WSX", Year: 2027},
	} {
		if got := callName(e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
