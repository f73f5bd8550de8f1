"""The clustered bootstrap of BenchmarkClusteredBootstrap, vectorised in numpy, for comparing times.

The same work: 500 paired differences in 45 clusters, 20000 resamples of the clusters with replacement, states
weighted equally within a resample, percentiles 2.5 and 97.5. Three ways of writing it, each timed alone (best and
median of 15 runs, milliseconds):

  gather       picks clusters, then sums pre-aggregated cluster sums and counts (the shortest work for numpy)
  multinomial  draws the multiplicities themselves and multiplies two vectors by the matrix
  states       expands every resample to its states, as a direct reading of the definition does

Run: python3 bootstrap_numpy.py
"""

import statistics
import time

import numpy as np

TASKS, CLUSTERS, DRAWS, SEED = 500, 45, 20_000, 20_260_912


def cohort():
    """The differences and cluster numbers of clusteredCohort in bench_test.go."""
    d = np.array([((i * 7919) % 13 % 3) - 1 for i in range(TASKS)], dtype=np.float64)
    cluster = np.array([(i * i + 3 * i) % CLUSTERS if i >= CLUSTERS else i for i in range(TASKS)])
    return d, cluster


def gather(d, cluster, rng):
    sums = np.bincount(cluster, weights=d, minlength=CLUSTERS)
    counts = np.bincount(cluster, minlength=CLUSTERS).astype(np.float64)
    picks = rng.integers(0, CLUSTERS, size=(DRAWS, CLUSTERS))
    means = sums[picks].sum(axis=1) / counts[picks].sum(axis=1)
    return np.percentile(means, [2.5, 97.5]) * 100


def multinomial(d, cluster, rng):
    sums = np.bincount(cluster, weights=d, minlength=CLUSTERS)
    counts = np.bincount(cluster, minlength=CLUSTERS).astype(np.float64)
    times = rng.multinomial(CLUSTERS, np.full(CLUSTERS, 1 / CLUSTERS), size=DRAWS)
    means = (times @ sums) / (times @ counts)
    return np.percentile(means, [2.5, 97.5]) * 100


def states(d, cluster, rng):
    picks = rng.integers(0, CLUSTERS, size=(DRAWS, CLUSTERS))
    times = np.zeros((DRAWS, CLUSTERS))
    np.add.at(times, (np.arange(DRAWS)[:, None], picks), 1)
    weights = times[:, cluster]
    means = (weights * d).sum(axis=1) / weights.sum(axis=1)
    return np.percentile(means, [2.5, 97.5]) * 100


def main():
    d, cluster = cohort()
    print(f"numpy {np.__version__}, {TASKS} tasks, {CLUSTERS} clusters, {DRAWS} draws, diff {d.mean() * 100:.4f}")
    for way in (gather, multinomial, states):
        took = []
        for _ in range(15):
            rng = np.random.default_rng(SEED)
            start = time.perf_counter()
            lo, hi = way(d, cluster, rng)
            took.append((time.perf_counter() - start) * 1000)
        print(f"{way.__name__:12} best {min(took):8.2f} ms  median {statistics.median(took):8.2f} ms  [{lo:.4f}, {hi:.4f}]")


if __name__ == "__main__":
    main()
