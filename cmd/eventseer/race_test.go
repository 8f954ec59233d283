//go:build race

package main

// raceDetector is true if the race detector makes everything several times slower.
const raceDetector = true
