"""The generated web for Scrapy: robots and cookies off, 16 requests at once."""
import socket
import sys

address = sys.argv[1].rsplit(":", 1)[0]
seed = sys.argv[2]
# Every host of the generated web is the server, as for the other clients.
socket.gethostbyname = lambda host: address

import scrapy  # noqa: E402, after the resolver
from scrapy.crawler import CrawlerProcess  # noqa: E402


class Spider(scrapy.Spider):
    name = "bench"
    start_urls = [seed]

    def parse(self, response):
        for href in response.css("a::attr(href)").getall():
            url = response.urljoin(href)
            if url.startswith("http"):
                yield scrapy.Request(url)


process = CrawlerProcess({
    "ROBOTSTXT_OBEY": False, "COOKIES_ENABLED": False, "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False,
    "CONCURRENT_REQUESTS": 16, "CONCURRENT_REQUESTS_PER_DOMAIN": 16, "DOWNLOAD_DELAY": 0,
    "RETRY_ENABLED": False, "AUTOTHROTTLE_ENABLED": False,
})
process.crawl(Spider)
process.start()
