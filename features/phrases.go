package features

var (
	months = makeSet(`january february march april may june july august september october november december
		jan feb mar apr jun jul aug sep sept oct nov dec`)
	dueWords = makeSet(`deadline deadlines submission submissions submit due notification acceptance camera extended abstracts`)
)

func classOf(s string) class {
	var c class
	if months[s] {
		c |= month
	}
	if dueWords[s] {
		c |= dueWord
	}
	return c
}
