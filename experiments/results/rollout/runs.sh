#!/bin/sh
# What search adds to a policy: makes everything in this folder, on one core; run it from the root of the repository.
# `sh experiments/results/rollout/runs.sh value` measures rollout:value against three of value. Needs scipy.
set -eu
policy=${1:-value}
folder=experiments/results/rollout
export OMP_NUM_THREADS=1
measure() {
    begin=$(date +%s)
    python -m mjenv evaluate "$1" "rollout:$policy" --vs "$policy" --blocks "$2" --seed 101 --workers 1 --json >"$folder/$1.json"
    echo "$1 $(($(date +%s) - begin)) s" >>"$folder/seconds.txt"
}
