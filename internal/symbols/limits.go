package symbols

// Upper bounds for what one module may make us allocate, whatever its headers
// say. Together they stay under 1 GiB: what is kept (segments, symbol tables, Go's
// names) shares keepLimit, a table that is parsed and dropped may take tableLimit,
// and the parsed results are bounded by the entry limits.
const (
	keepLimit    = 384 << 20
	tableLimit   = 256 << 20
	maxFunctions = 1 << 20 // names of functions in all tables
	maxFDEs      = 1 << 20
	maxRelocs    = 4 << 20
	maxPads      = 4 << 20
	maxSegments  = 256
	maxSections  = 1 << 16
)
