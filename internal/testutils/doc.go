// Package testutils is what the tests of functap stand on: victims that count
// their own calls, real servers, and the proof that a process is as it was.
//
// A victim (internal/testdata/victims) is a small program that counts every call of its
// own functions, checks the results, and answers commands over its standard input
// and output. [Build] compiles one in any of the [Variant]s, [Start] runs it, and
// [Victim.Report] gives the true counts. [TakeSnapshot] and [Diff] tell whether
// something of ours is left in a process. [Main] fails a package that leaves
// children behind.
//
// Nothing here skips a test: a missing program is a failure that names the
// Debian package to install. Every wait is bounded, and everything that is started is
// killed by its PID when the test ends.
//
// The functions take a testing.TB and must be called on the test's own
// goroutine, because they end the test when they cannot do their work.
package testutils
