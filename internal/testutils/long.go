package testutils

import "os"

// Long tells whether the long forms of tests are wanted: make soak sets FUNCTAP_LONG.
func Long() bool { return os.Getenv("FUNCTAP_LONG") != "" }

// Repeat is how often to do something that gets more convincing when it is done more
// often: short by default, long in a soak.
func Repeat(short, long int) int {
	if Long() {
		return long
	}
	return short
}
