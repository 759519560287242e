#!/usr/bin/env bash
# Stages 3 to 6 on a machine with a GPU: bash training/run.sh DATA WORK
# PRETRAIN is the minutes of pre-training, TOTAL the minutes of everything after the raw text is read: what the teachers
# leave of it is the students'. Every stage leaves a file and is skipped when that file is there. A student goes on from
# WORK/start_NAME.npz, its weights of an earlier run, if that is there; RATE then is a lower learning rate.
set -u
data=$1 work=$2
run() { # log-name module arguments...
  local log="$work/log_$1.txt"; shift
  python3 -u -m "$@" --work "$work" >>"$log" 2>&1 || echo "failed: $*"
}
train() { # name module arguments...
  local name=$1 start=(); shift
  [ -f "$work/start_$name.npz" ] && start=(--start "$work/start_$name.npz")
  run "train_$name" "$@" --minutes "$(left)" ${RATE:+--rate "$RATE"} "${start[@]}"
}
left() { awk "BEGIN { t = ($end - $(date +%s)) / 60; print (t > 0.5 ? t : 0.5) }"; }
run raw training.raw --data "$data"
end=$(awk "BEGIN { print int($(date +%s) + 60 * ${TOTAL:-24}) }")
run pretrain training.pretrain --minutes "${PRETRAIN:-6}"
(
  run teach_syntax training.teach syntax --epochs "${TEACH:-10}" --seeds "${SEEDS:-2}"
  train pos training.train pos &
  train dp training.train dp &
  wait
) &
(
  run teach_entities training.teach entities --epochs "${TEACH:-10}" --seeds "${SEEDS:-2}"
  train ner training.train ner
) &
(
  run teach_reviews training.teach reviews --epochs "${TEACH_REVIEWS:-3}" --seeds "${SEEDS_REVIEWS:-2}"
  train sentiment training.train_sentiment
) &
wait
echo finished
