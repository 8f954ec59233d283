package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
)

//go:embed spider.py
var spider string

// python is the path of Debian's Python, for which python3-scrapy is installed.
const python = "/usr/bin/python3"

// scrapyCommand returns the command of a Scrapy crawl on one core.
func scrapyCommand(ctx context.Context, core int, o options) (*exec.Cmd, error) {
	if err := exec.CommandContext(ctx, python, "-c", "import scrapy").Run(); err != nil {
		return nil, fmt.Errorf("%s has no scrapy (%w); apt-get install python3-scrapy, or leave it out with -clients", python, err)
	}
	cmd := commandOnCore(ctx, o, core, python, "-c", spider, o.Web, seedURL(o))
	cmd.Stderr = os.Stderr
	return cmd, nil
}
