//go:build !linux

package sandbox

// machineMemory is not asked for here.
func machineMemory() int64 { return 0 }
