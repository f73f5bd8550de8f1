package retrieval

// IDF is idf.
func IDF(n, df int) float64 { return idf(n, df) }

// Ln is ln.
func Ln(x float64) float64 { return ln(x) }
