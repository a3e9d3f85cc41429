package symbols

// Upper bounds for what one module may make us allocate, whatever its headers
// say. Together they stay under 1 GiB: what is kept (segments and symbol tables)
// shares keepLimit, a table that is parsed and dropped may take tableLimit, and the
// parsed results are bounded by the entry limits.
const (
	keepLimit    = 512 << 20
	tableLimit   = 128 << 20
	maxFunctions = 1 << 20 // symbols of one table that are taken as functions
	maxFDEs      = 4 << 20
	maxAddends   = 8 << 20
	maxSegments  = 4096
	maxSections  = 1 << 16
)
