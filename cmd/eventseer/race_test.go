//go:build race

package main

// raceDetector says that everything takes several times as long.
const raceDetector = true
