package jetstream

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A node that is cut off from the others answers that JetStream is unavailable. Both interfaces of
// nats.go must count as temporary, or a watch is never moved to another node.
func TestUnavailableIsTemporary(t *testing.T) {
	for _, err := range []error{
		&jetstream.APIError{Code: 503, ErrorCode: 10008, Description: "JetStream system temporarily unavailable"},
		&nats.APIError{Code: 503, ErrorCode: 10008, Description: "JetStream system temporarily unavailable"},
	} {
		if !isTemporary(fmt.Errorf("watch: %w", err)) {
			t.Errorf("%T is not temporary", err)
		}
	}
	for _, err := range []error{
		&jetstream.APIError{Code: 503, ErrorCode: codeNoStorage},
		&nats.APIError{Code: 503, ErrorCode: codeNoStorage},
		&nats.APIError{Code: 400, ErrorCode: 10003},
	} {
		if isTemporary(err) {
			t.Errorf("%T %v is temporary", err, err)
		}
	}
}
