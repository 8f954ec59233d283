package webgraph_test

import (
	"fmt"

	"github.com/eventseer/eventseer/webgraph"
)

func ExampleCanonical() {
	url, err := webgraph.Canonical("HTTP://Conf.Example.org:80/%7Ejo/../cfp;jsessionid=1F?utm_source=list&year=2026#dates")
	fmt.Println(url, err)
	// Output: http://conf.example.org/cfp?year=2026 <nil>
}

func ExampleResolver() {
	page := webgraph.NewResolver("https://conf.example.org/2026/index.html")
	for _, href := range []string{"cfp.html#dates", "/2025/", "//other.example", "mailto:chair@conf.example.org"} {
		url, err := page.Resolve(href)
		fmt.Println(url, err)
	}
	// Output:
	// https://conf.example.org/2026/cfp.html <nil>
	// https://conf.example.org/2025/ <nil>
	// https://other.example/ <nil>
	//  "mailto:chair@conf.example.org": scheme is not http or https
}
