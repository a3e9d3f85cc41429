// Package fgraph will hold the shadow return stack: entry and return of every
// call of a hooked function, with data carried from one to the other, as the
// kernel's function graph does. It is not built yet. Nothing can be called here,
// and functap catches no exits.
//
// Where its memory will be is drawn in docs/layout.md.
package fgraph
