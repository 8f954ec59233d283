package template

import (
	"math"
	"testing"
)

// A clusterScore compares clusters with groups.
type clusterScore struct {
	// rand is the adjusted Rand index of the pages of groups (Hubert and Arabie 1985).
	rand float64
	// v is their V-measure (Rosenberg and Hirschberg 2007).
	v float64
	// purity is the share of the biggest group in the clusters that contain any page of a group; pages
	// without a group count against it.
	purity float64
	// clusters is the number of clusters that hold any page of a group.
	clusters int
}

// scoreClusters scores the clusters of pages whose groups are given; "" means no group.
func scoreClusters[C comparable](groups []string, clusters []C) clusterScore {
	cells := make(map[C]map[string]float64)
	all := make(map[C]float64)
	of := make(map[string]float64)
	n := 0.0
	for i, g := range groups {
		all[clusters[i]]++
		if g == "" {
			continue
		}
		if cells[clusters[i]] == nil {
			cells[clusters[i]] = make(map[string]float64)
		}
		cells[clusters[i]][g]++
		of[g]++
		n++
	}
	s := clusterScore{clusters: len(cells)}
	var same, inCluster, inGroup, joint, hCluster, hGroup, pure, held float64
	for c, row := range cells {
		size, biggest := 0.0, 0.0
		for _, m := range row {
			size += m
			biggest = max(biggest, m)
			same += pairs(m)
			joint += entropy(m / n)
		}
		inCluster += pairs(size)
		hCluster += entropy(size / n)
		pure += biggest
		held += all[c]
	}
	for _, m := range of {
		inGroup += pairs(m)
		hGroup += entropy(m / n)
	}
	expected := inCluster * inGroup / pairs(n)
	s.rand = (same - expected) / ((inCluster+inGroup)/2 - expected)
	s.purity = pure / held
	s.v = 1
	if hCluster+hGroup > 0 {
		s.v = 2 * (hCluster + hGroup - joint) / (hCluster + hGroup)
	}
	return s
}

func pairs(n float64) float64 { return n * (n - 1) / 2 }

func entropy(p float64) float64 { return -p * math.Log(p) }

func TestScoreClusters(t *testing.T) {
	groups := []string{"a", "a", "b", "b", ""}
	for _, c := range []struct {
		name     string
		clusters []int
		want     clusterScore
	}{
		{"right", []int{1, 1, 2, 2, 3}, clusterScore{1, 1, 1, 2}},
		{"one", []int{1, 1, 1, 1, 1}, clusterScore{0, 0, 0.4, 1}},
		{"noise joins", []int{1, 1, 2, 2, 2}, clusterScore{1, 1, 0.8, 2}},
	} {
		if got := scoreClusters(groups, c.clusters); !got.near(c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func (s clusterScore) near(t clusterScore) bool {
	const e = 1e-9
	return math.Abs(s.rand-t.rand) < e && math.Abs(s.v-t.v) < e && math.Abs(s.purity-t.purity) < e && s.clusters == t.clusters
}
