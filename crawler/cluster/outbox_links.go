package cluster

import (
	"encoding/json"
	"fmt"

	"eventseer/crawler"
	"eventseer/webgraph"
)

// packLinks makes links the data of a message: a JSON array of candidates.
func packLinks(cs []crawler.Candidate) ([]byte, error) { return json.Marshal(cs) }

// unpackLinks reads what packLinks made. What no frontier takes is an error.
func unpackLinks(data []byte) (cs []crawler.Candidate, err error) {
	if len(data) > MaxMessage {
		return nil, fmt.Errorf("a message of %d bytes, more than %d", len(data), MaxMessage)
	}
	if err := json.Unmarshal(data, &cs); err != nil {
		return nil, fmt.Errorf("links of a message: %w", err)
	}
	for i := range cs {
		c := &cs[i]
		if url, err := webgraph.Canonical(c.URL); err != nil || url != c.URL {
			return nil, fmt.Errorf("links of a message: %.200q is no canonical URL", c.URL)
		}
		if c.Depth < 0 || c.Hops < 0 || c.Hops > crawler.MaxHops {
			return nil, fmt.Errorf("links of a message: %.200q of depth %d after %d redirects", c.URL, c.Depth, c.Hops)
		}
		c.Score = crawler.ClampDueScore(c.Score)
	}
	return cs, nil
}
