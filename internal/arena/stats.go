package arena

// Stats are the duration statistics of one site: a run of cells, in each area and in
// the shared form. Times are in ticks of the time stamp counter.
const (
	StatCalls    = 0 // calls that were entered with a frame
	StatTotal    = 1 // the sum of all durations
	StatMax      = 2 // the longest (shared form only)
	StatMissed   = 3 // calls that ran without a frame, for want of one (shared form only)
	StatUnwound  = 4 // calls that were left by other ways than a return (shared form only)
	StatInflight = 5 // calls that were running at the detach (shared form only)
	StatClamped  = 6 // durations that were negative and count as 0 (shared form only)
	StatSelf     = 7 // the sum of all self times that are known
	StatBuckets  = 8 // how many durations have their highest bit at 0, 1, ...
	Buckets      = 63
	StatKnown    = StatBuckets + Buckets // how many these are
	StatCells    = StatKnown + 1
)
