"""Times evlab's contrasts beside numpy and scipy in one run, and prints the ratios.

Peers do the same work as the Go benchmarks of the same name, each in the quickest of the ways tried:

  clustered   500 paired differences in 45 clusters, 20,000 resamples of the clusters, 95% percentiles
              (gather: picks clusters and sums pre-aggregated sums and counts; multinomial: multiplicities times two vectors)
  curves      seventy such contrasts, each with a sign-flip test of the clusters by 20,000 drawn sign patterns
  exact       the bootstrap distribution of 0/1 differences by repeated squaring with scipy.signal.fftconvolve
  million     a million outcome rows from CSV (csv.reader, averaged by task and condition), and resident memory

Debian: python3-numpy python3-scipy. Run: /usr/bin/python3 compare.py   (it calls go test in the module's root)
"""

import csv
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy
import scipy.signal

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TASKS, CLUSTERS, DRAWS, SEED = 500, 45, 20_000, 20_260_912


def cohort():
    """clusteredCohort of contrasts/bench_test.go."""
    d = np.array([((i * 7919) % 13 % 3) - 1 for i in range(TASKS)], dtype=np.float64)
    cluster = np.array([(i * i + 3 * i) % CLUSTERS if i >= CLUSTERS else i for i in range(TASKS)])
    return np.bincount(cluster, weights=d, minlength=CLUSTERS), np.bincount(cluster, minlength=CLUSTERS).astype(np.float64)


def gather(sums, counts, rng):
    picks = rng.integers(0, CLUSTERS, size=(DRAWS, CLUSTERS))
    return np.percentile(sums[picks].sum(axis=1) / counts[picks].sum(axis=1), [2.5, 97.5]) * 100


def multinomial(sums, counts, rng):
    times = rng.multinomial(CLUSTERS, np.full(CLUSTERS, 1 / CLUSTERS), size=DRAWS)
    return np.percentile((times @ sums) / (times @ counts), [2.5, 97.5]) * 100


def sign_flip(sums, rng):
    signs = rng.integers(0, 2, size=(DRAWS, len(sums)), dtype=np.int8) * 2.0 - 1
    return (1 + np.count_nonzero(np.abs(signs @ sums) >= abs(sums.sum()))) / (1 + DRAWS)


def exact(n):
    base = np.array([n * 8 // 100, n - n * 8 // 100 - n * 12 // 100, n * 12 // 100]) / n
    out, have, bits = base, 1, bin(n)[3:]
    for bit in bits:
        out, have = scipy.signal.fftconvolve(out, out), 2 * have
        if bit == "1":
            out, have = scipy.signal.fftconvolve(out, base), have + 1
    cumulative = np.cumsum(out)
    return [(np.searchsorted(cumulative, q) - n) / n * 100 for q in (0.025, 0.975)]


def million(path):
    cells = {}
    with open(path, newline="") as f:
        rows = csv.reader(f)
        next(rows)
        for task, condition, _, strict, _ in rows:
            cell = cells.setdefault((task, condition), [0.0, 0])
            cell[0] += float(strict)
            cell[1] += 1
    return len(cells)


def best(f, *args, rounds=7):
    took = []
    for _ in range(rounds):
        start = time.perf_counter()
        f(*args)
        took.append((time.perf_counter() - start) * 1000)
    return min(took)


def go(package, pattern, times):
    out = subprocess.run(["go", "test", "-run", "^$", "-bench", pattern, "-benchtime", times, package], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found = {}
    for line in out.splitlines():
        m = re.match(r"Benchmark(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op(?:\s+([\d.]+) best-ms)?", line)
        if m:
            found[m[1]] = float(m[3]) if m[3] else float(m[2]) / 1e6
    return found


def main():
    sums, counts = cohort()
    rng = np.random.default_rng(SEED)
    peers = {}
    peers["ClusteredBootstrap"] = min(best(gather, sums, counts, rng), best(multinomial, sums, counts, rng))

    def curves():
        for _ in range(70):
            gather(sums, counts, rng)
            sign_flip(sums, rng)

    peers["Curves"] = best(curves, rounds=2)
    for n in (1000, 10_000):
        peers[f"Exact/{n}"] = best(exact, n)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "o.csv")
        with open(path, "w") as f:
            f.write("task,condition,repository,strict,tokens\n")
            for i in range(250_000):
                for k, condition in enumerate(("bm25", "dense", "rerank", "mss-complement")):
                    f.write(f"owner__repo-{i:06},{condition},owner/repo-{i % 45},{(i * (k + 3)) % 7 % 2},{1000 + i * (k + 1) % 9000}\n")
        peers["MillionRows"] = best(million, path, rounds=2)
    ours = go("./contrasts", "^Benchmark(ClusteredBootstrap|Curves|Exact)$", "20x")
    ours.update(go("./outcomes", "^BenchmarkMillionRows$", "3x"))
    print(f"numpy {np.__version__}, scipy {scipy.__version__}, python {sys.version.split()[0]}, {os.cpu_count()} cores; best of each, milliseconds")
    print(f"{'benchmark':20} {'evlab':>10} {'peer':>10} {'ratio':>8}")
    for name, peer in peers.items():
        print(f"{name:20} {ours[name]:10.2f} {peer:10.2f} {peer / ours[name]:8.1f}")
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
