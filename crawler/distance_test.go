package crawler

import (
	"math"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		d         Distance
		of        int64
		relevance float64
	}{
		{Distance{}, 0, math.Inf(1)}, {Distance{Tree: 2}, 2, 0.5}, {Distance{Pages: 1}, 1000, 0.001},
		{Distance{Pages: 2, Domains: 1}, 1_002_000, 1.0 / 1_002_000}, {Distance{5, 4, 3}, 3_004_005, 1.0 / 3_004_005},
	} {
		if got := tt.d.OntologicalDistance(PageWeight, DomainWeight); got != tt.of || Relevance(got) != tt.relevance {
			t.Errorf("%+v: D = %d, R = %v, want %d, %v", tt.d, got, Relevance(got), tt.of, tt.relevance)
		}
	}
}
