package block

// EachOwn is Model.forEachOwnScores for tests.
func EachOwn(m *Model, p *Page, f func(i int, scores []float64)) { m.forEachOwnScores(p, f) }
