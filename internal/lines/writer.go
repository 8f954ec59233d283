package lines

import (
	"encoding/json"
	"io"
)

// WriteJSON writes v as one line of JSON, HTML characters unescaped.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
