package features_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/eventseer/eventseer/features"
)

// The reduced TF-IDF of paper 002 over a reference corpus of 100 documents.
func Example() {
	ref, err := features.ReadDocumentFrequencies(strings.NewReader("#N 100\nowl\t1\npaper\t10\nmoon\t50\n"))
	if err != nil {
		log.Fatal(err)
	}
	v, err := features.FitVectorizer(features.ThesisOptions(), ref, nil)
	if err != nil {
		log.Fatal(err)
	}
	x := v.Vector(features.ReadText("Papers on owls: we invite papers on the flight of owls by moonlight."))
	for i, ix := range x.Index {
		fmt.Printf("%s %.2f\n", v.Name(int(ix)), x.Value[i])
	}
	// Output:
	// body:owl 4.61
	// body:paper 2.30
}
