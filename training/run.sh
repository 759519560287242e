#!/usr/bin/env bash
# Stages 3 to 6 on a machine with a GPU: bash training/run.sh DATA WORK
# PRETRAIN is the minutes of pre-training, TOTAL the minutes of everything after the raw text is read. The two large students
# start at once on gold data and take the teachers' sentences in when they are there; the two small ones wait for them.
# Every stage leaves a file and is skipped when that file is there.
set -u
data=$1 work=$2
run() { # log-name module arguments...
  local log="$work/log_$1.txt"; shift
  python3 -u -m "$@" --work "$work" >>"$log" 2>&1 || echo "failed: $*"
}
left() { awk "BEGIN { print ($end - $(date +%s)) / 60 }"; }
run raw training.raw --data "$data"
end=$(awk "BEGIN { print int($(date +%s) + 60 * ${TOTAL:-20}) }")
run vectors training.pretrain --vectors-only
run train_dp training.train dp --minutes "$(left)" &
run train_ner training.train ner --minutes "$(left)" &
run pretrain training.pretrain --minutes "${PRETRAIN:-6}"
run teach_syntax training.teach syntax --epochs "${TEACH:-10}" --seeds "${SEEDS:-2}" &
syntax=$!
run teach_entities training.teach entities --epochs "${TEACH:-10}" --seeds "${SEEDS:-2}" &
run teach_reviews training.teach reviews --epochs "${TEACH_REVIEWS:-3}" &
reviews=$!
wait $syntax
run train_pos training.train pos --minutes "$(left)" &
wait $reviews
run train_sentiment training.train_sentiment --minutes "$(left)" &
wait
echo finished
