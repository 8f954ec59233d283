package webgraph

import "testing"

func TestHoldsMailAddress(t *testing.T) {
	for url, want := range map[string]bool{
		"https://conf.example/mailto:ann@conf.example":           true,
		"https://conf.example/a/mailto:ann%40conf.example":       true,
		"https://conf.example/MAILTO%3Aann":                      true,
		"https://conf.example/cfp/ann@conf.example":              true,
		"https://conf.example/cfp/ann.lee%40dept.conf.example":   true,
		"https://conf.example/write?to=ann@conf.example":         true,
		"https://conf.example/write?to=ann%40conf.example&x=1":   true,
		"https://conf.example/write?ann@conf.example":            true,
		"https://conf.example/":                                  false,
		"https://conf.example/?q=a@b":                            false,
		"https://map.example/@48.2,16.3,12z":                     false,
		"https://blog.example/@ann":                              false,
		"https://photos.example/ann@N00":                         false,
		"https://archive.example/events@lists.example/msg1.html": false,
		"https://archive.example/events@lists.example/":          false,
		"https://conf.example/how-mailto-works":                  false,
		"https://conf.example/cfp%2Fx?year=2027&track=a%40b":     false,
	} {
		if got := IsMailAddress(url); got != want {
			t.Errorf("IsMailAddress(%q) = %t, want %t", url, got, want)
		}
	}
}
