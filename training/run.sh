#!/usr/bin/env bash
# Stages 3 to 6 on a machine with a GPU: bash training/run.sh DATA WORK
# PRETRAIN and STUDENTS are minutes. Every stage leaves a file and is skipped when that file is there.
set -u
data=$1 work=$2
run() { # log-name module arguments...
  local log="$work/log_$1.txt"; shift
  python3 -u -m "$@" --work "$work" >>"$log" 2>&1 || echo "failed: $*"
}
run raw training.raw --data "$data"
run pretrain training.pretrain --minutes "${PRETRAIN:-6.5}"
run teach_syntax training.teach syntax --epochs "${TEACH:-10}" --seeds 2 &
run teach_entities training.teach entities --epochs "${TEACH:-10}" --seeds 2 &
run teach_reviews training.teach reviews --epochs 3 &
wait
for task in dp ner pos; do
  run "train_$task" training.train "$task" --minutes "${STUDENTS:-8}" &
done
run train_sentiment training.train_sentiment --minutes "${STUDENTS:-8}" &
wait
echo finished
