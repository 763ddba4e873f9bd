#!/bin/sh
# Makes everything in this folder; run it from the root of the repository. Needs `pip install ".[sb3,torch]"`.
set -eu
OMP_NUM_THREADS=1 python -m experiments.train_sb3 hangzhou --minutes 10 --seed 0 --blocks 1000 --out runs/sb3
cp runs/sb3/model.json runs/sb3/evaluation.json experiments/results/sb3/
