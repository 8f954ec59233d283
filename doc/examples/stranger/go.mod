module stranger.example/crawl

go 1.26.0

require github.com/eventseer/eventseer v0.0.0

replace github.com/eventseer/eventseer => ../../..
