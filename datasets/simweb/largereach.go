package simweb

import "context"

// Reachable calls each with every page that a polite crawl from the URLs of from
// finds, nearest first and each once, until each returns false: all pages that
// answer 200, redirects followed, on hosts that resolve and where robots may go.
// It keeps a bit a page and a queue of 4 bytes for each page seen and not yet
// followed. It returns ctx's error when that ends.
func (w *Large) Reachable(ctx context.Context, from []string, each func(url string) bool) error {
	seen := make([]uint64, (w.o.Pages+63)/64)
	var queue, next []uint32
	push := func(n int) {
		if bit := uint64(1) << (n % 64); seen[n/64]&bit == 0 {
			seen[n/64] |= bit
			if p := w.place(n); !w.dead(p.host) && !p.host.disallowed(p.i) {
				next = append(next, uint32(n))
			}
		}
	}
	for _, url := range from {
		page, _ := w.Page(url)
		if page.Location != "" && page.Status != 0 {
			url = page.Location
		}
		if p, ok := w.placeOf(url); ok {
			push(p.n)
		}
	}
	var buf []edge
	for len(next) > 0 {
		queue, next = next, queue[:0]
		for _, n := range queue {
			if err := ctx.Err(); err != nil {
				return err
			}
			p := w.place(int(n))
			if !each(w.url(p)) {
				return nil
			}
			buf = w.edges(p, buf[:0])
			for _, e := range buf {
				if e.to >= 0 {
					push(e.to)
				}
			}
		}
	}
	return nil
}
