package block

// EachOwn is Model.eachOwn for tests.
func EachOwn(m *Model, p *Page, f func(i int, scores []float64)) { m.eachOwn(p, f) }
