#!/bin/sh
# Makes the shipped policies and everything in this folder. Run it from the root of the repository; the runs are kept in
# runs/. Each training takes 20 to 50 minutes of one core. Needs `pip install ".[torch]"`. The commit that each policy
# was trained at is in its card.
set -eu
export OMP_NUM_THREADS=1

mjenv train hangzhou --decisions 14000000 --out runs/hangzhou --set clone=0.14 --set rivals_share=0.2
mjenv train hongkong --decisions 15000000 --out runs/hongkong \
    --set clone=0.14 --set learning_rate=0.0006 --set entropy=0.005
mjenv train yugan --decisions 6500000 --out runs/yugan --set clone=0.2 --set learning_rate=0.0005 \
    --set entropy=0.004 --set reward=clip --set reward_clip=5.0 --set rivals_share=0.3 --set curve_blocks=256
mjenv train threefaan --decisions 7000000 --out runs/threefaan --set clone=0.2 --set learning_rate=0.0006 \
    --set entropy=0.005 --set curve_blocks=256
mjenv train fuzhou --decisions 5000000 --out runs/fuzhou --set clone=0.2 --set leave_wins=True \
    --set rivals_share=0.2 --set curve_points=5

python -m experiments.policies hangzhou runs/hangzhou --blocks 20000 --others 20000
python -m experiments.policies hongkong runs/hongkong --blocks 10000 --others 10000
python -m experiments.policies yugan runs/yugan --blocks 100000
python -m experiments.policies threefaan runs/threefaan --blocks 15000 --others 7000
python -m experiments.policies fuzhou runs/fuzhou --blocks 120000 --others 3000

python -m experiments.ablation hangzhou --decisions 1000000 \
    --only defaults --only "no advice" --only "no oracle" --only "suits swapped"
