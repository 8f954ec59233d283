package main

import (
	"eventseer/classify"
	"eventseer/classify/boost"
	"eventseer/features"
)

// linkBlocks are what the documents of links hold, see features.ReadLinks.
var linkBlocks = []string{features.Anchors, features.Body, features.Headings, features.URL, features.Link}

// layerBlocks are the words of a page, and what other models say of it.
var layerBlocks = []string{features.Body, features.Title, features.Headings, features.URL, features.Menu, features.Context}

// blockNames are the blocks of the documents of the task.
func (r *recipe) blockNames() []string {
	switch r.task {
	case classify.TaskLink:
		return linkBlocks
	case classify.TaskLayer:
		return append(features.BlockNames(), features.Context)
	}
	return features.BlockNames()
}

// denseBlock is the block of them that is no words.
func (r *recipe) denseBlock() string {
	switch r.task {
	case classify.TaskLink:
		return features.Link
	case classify.TaskLayer:
		return features.Context
	}
	return features.Structure
}

// trees are the options of the second stage. Layers have few dense features and
// noisy bounds: fewer and smaller trees do as well, in a third of the bytes.
func (r *recipe) trees() boost.Options {
	o := boost.Options{Seed: r.seed}
	if r.task == classify.TaskLayer {
		o.Rounds, o.Leaves, o.Columns = 150, 8, 0.3
	}
	return o
}
