package cluster

import (
	"encoding/json"
	"fmt"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// A message of a queue is a JSON array of candidates or a stateReference. The latter names the state of a
// partition that an earlier owner sends to the present one.
type stateReference struct {
	State string `json:"state"`
}

// PackState returns the message data for the name of a state.
func PackState(name string) ([]byte, error) { return json.Marshal(stateReference{name}) }

// UnpackState returns the name that PackState encoded. For any other message ok is false.
func UnpackState(data []byte) (name string, ok bool) {
	if len(data) == 0 || data[0] != '{' {
		return "", false
	}
	var s stateReference
	err := json.Unmarshal(data, &s)
	return s.State, err == nil && s.State != ""
}

// PackLinks returns the message data for links.
func PackLinks(cs []crawler.Candidate) ([]byte, error) { return json.Marshal(cs) }

// UnpackLinks returns the links that PackLinks encoded, without those that a frontier cannot store, and
// an error if there are any.
func UnpackLinks(data []byte) (cs []crawler.Candidate, err error) {
	if len(data) > MaxMessage {
		return nil, fmt.Errorf("a message has %d bytes, at most %d are allowed", len(data), MaxMessage)
	}
	if err := json.Unmarshal(data, &cs); err != nil {
		return nil, fmt.Errorf("links of a message: %w", err)
	}
	for i := range cs {
		c := &cs[i]
		if url, err := webgraph.Canonical(c.URL); err != nil || url != c.URL {
			return nil, fmt.Errorf("links of a message: %.200q is not a canonical URL", c.URL)
		}
		if c.Depth < 0 || c.Hops < 0 || c.Hops > crawler.MaxHops {
			return nil, fmt.Errorf("links of a message: %.200q has the depth %d after %d redirects", c.URL, c.Depth, c.Hops)
		}
		c.Score = crawler.ClampDueScore(c.Score)
	}
	return cs, nil
}
