#!/usr/bin/env bash
# Stops what start.sh started in FOLDER, jobs included, and waits until all has ended.
set -uo pipefail
[ $# -eq 1 ] || { echo "usage: stop.sh FOLDER" >&2; exit 2; }
folder=$(realpath "$1")
export SLURM_CONF=$folder/slurm.conf
scancel --user=root
for attempt in $(seq 100); do
  [ -z "$(squeue --noheader 2>/dev/null)" ] && break
  sleep 0.2
done
for name in slurmd slurmctld munge/pid; do
  file=$folder/$name
  [ "$name" = munge/pid ] || file=$file.pid
  daemon=$(cat "$file" 2>/dev/null) || continue
  kill "$daemon" 2>/dev/null
  # They write into the folder until they have ended.
  for attempt in $(seq 100); do
    kill -0 "$daemon" 2>/dev/null || break
    sleep 0.2
  done
done
exit 0
