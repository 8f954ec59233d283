package simweb_test

import (
	"fmt"
	"net/http"

	"github.com/eventseer/eventseer/datasets/simweb"
)

// A client that dials through the server sees the built-in web and no other.
func ExampleWeb_Start() {
	web := simweb.New(simweb.Options{Seed: 1})
	server, err := web.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	client := &http.Client{Transport: &http.Transport{DialContext: server.Dial}}
	defer client.CloseIdleConnections()
	resp, err := client.Get(web.Seeds()[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	page, _ := web.Truth().Page(web.Seeds()[0])
	fmt.Println(resp.Status, page.IsCFP)
	// Output: 200 OK true
}
