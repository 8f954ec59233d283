package simweb_test

import (
	"context"
	"fmt"

	"github.com/eventseer/eventseer/datasets/simweb"
)

func ExampleNewLarge() {
	o, err := simweb.ParseLarge("hosts=1000,pages=2e4,seed=7")
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := simweb.NewLarge(o)
	if err != nil {
		fmt.Println(err)
		return
	}
	targets := 0
	err = w.Reachable(context.Background(), w.Seeds(), func(url string) bool {
		if page, _ := w.Page(url); page.IsCFP {
			targets++
		}
		return true
	})
	fmt.Println(targets > 100, err)
	// Output: true <nil>
}
