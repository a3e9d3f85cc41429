// Package layers has only a test: it reads the imports of every file of the module and
// holds them to the rules between the layers, which docs/architecture.md draws.
package layers
