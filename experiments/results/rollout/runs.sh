#!/bin/sh
# What search adds to a policy: makes everything in this folder, on one core. Run it from the root of the repository, with
# another policy and number of deals if you like: sh experiments/results/rollout/runs.sh checkpoint:DIR 100
# Needs `pip install ".[stats]"`.
set -eu
policy=${1:-value}
deals=${2:-48}
export OMP_NUM_THREADS=1
for variant in hangzhou yugan fuzhou hongkong threefaan; do
    python -m experiments.search_gain "$variant" --policy "$policy" --deals "$deals" --seed 101
done
