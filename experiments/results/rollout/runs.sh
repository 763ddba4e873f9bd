#!/bin/sh
# What search adds to a policy: makes everything in this folder, on one core. Run it from the root of the repository, with
# another policy and number of deals if you like: sh experiments/results/rollout/runs.sh checkpoint:DIR 100
# Needs `pip install ".[stats]"`.
set -eu
policy=${1:-value}
export OMP_NUM_THREADS=1
measure() {
    python -m experiments.search_gain "$1" --policy "$policy" --deals "$2" --seed 101
}
measure hangzhou "${2:-16}"
for variant in yugan fuzhou hongkong threefaan; do
    measure "$variant" "${2:-8}"
done
