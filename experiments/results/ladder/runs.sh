#!/bin/sh
# Makes everything in this folder; run it from the root of the repository. The games are kept in runs/ladder, and a run
# that broke off goes on from there. Needs `pip install ".[stats]"`.
set -eu
python -m experiments.ladder --agents random,greedy,speed,value,guard --blocks 5000 --seed 2026 --seatings 2v2 "$@"
