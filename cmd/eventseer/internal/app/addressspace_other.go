//go:build !linux

package app

func checkAddressSpace() error { return nil }
