package strategy

import (
	"encoding/json"

	"eventseer/crawler"
)

// noteOf keeps x under a key.
func noteOf(key string, x any) crawler.Note {
	value, _ := json.Marshal(x) // strings and finite numbers always encode
	return crawler.Note{Key: key, Value: value}
}
