package contrasts

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// Generator names the random numbers of drawn intervals and tests: ChaCha8 (math/rand/v2), keyed by SHA-256 over a version
// label, the seed, the purpose, the metric, both conditions and the unit (and the stratum, when there is one), with a new key
// every 1024 draws. Nothing of the machine enters: the same seed gives the same bytes on any number of cores.
const Generator = "chacha8-sha256-1024"

// chunkDraws is how many draws share one generator. It is part of what a seed means: changing it changes every drawn
// interval.
const chunkDraws = 1024

// stream is the randomness of one purpose in one contrast.
type stream [sha256.Size]byte

// newStream derives a stream from the seed and names. The two conditions are taken in sorted order so that A minus B
// and B minus A see the same resamples and mirror each other.
func newStream(d Design, purpose string) stream {
	data := binary.BigEndian.AppendUint64([]byte("evlab-contrast-v1\x00"), d.Seed)
	parts := []string{purpose, d.Metric, min(d.A, d.B), max(d.A, d.B), d.Unit}
	if d.Stratum != "" { // left out when empty, so that seeds keep their meaning
		parts = append(parts, d.Stratum)
	}
	for _, part := range parts {
		data = binary.BigEndian.AppendUint64(data, uint64(len(part)))
		data = append(data, part...)
	}
	return sha256.Sum256(data)
}

// chunk is the generator of draws chunk*chunkDraws and the following ones.
func (s stream) chunk(i int) *rand.ChaCha8 {
	return rand.NewChaCha8(sha256.Sum256(binary.BigEndian.AppendUint64(s[:], uint64(i))))
}

// eachChunk calls do for every chunk of draws, on as many cores as there are, with the half-open range of draws that
// it covers. What do writes must belong to those draws.
func (s stream) eachChunk(draws int, do func(rng *rand.ChaCha8, from, to int)) {
	chunks := (draws + chunkDraws - 1) / chunkDraws
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(chunks, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < chunks; i = int(next.Add(1)) - 1 {
				do(s.chunk(i), i*chunkDraws, min(draws, (i+1)*chunkDraws))
			}
		})
	}
	wg.Wait()
}
