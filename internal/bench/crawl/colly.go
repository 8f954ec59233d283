package main

import (
	"context"
	"sync/atomic"

	"github.com/gocolly/colly/v2"
)

// crawlColly crawls with colly's asynchronous mode as in its documentation: it visits every link in
// OnHTML, with a limit on parallel requests.
func crawlColly(ctx context.Context, o options) (result, error) {
	c := colly.NewCollector(colly.Async(true), colly.StdlibContext(ctx))
	c.WithTransport(testTransport(o))
	c.DisableCookies()
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: o.Workers}); err != nil {
		return result{}, err
	}
	var pages atomic.Int64
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		_ = e.Request.Visit(e.Attr("href")) // most errors mean "already visited"
	})
	c.OnResponse(func(*colly.Response) { pages.Add(1) })
	if err := c.Visit(seedURL(o)); err != nil {
		return result{}, err
	}
	c.Wait()
	return result{Pages: int(pages.Load())}, nil
}
