#!/usr/bin/env bash
# Starts a Slurm of one node, this machine, in a folder of its own: munged, slurmctld and slurmd with their own key,
# sockets, ports and state. A Slurm that the system runs is not touched. Must be root; needs slurm-wlm and munge.
#   slurm/test-cluster/start.sh FOLDER [CORES [GPUS]]     then: export SLURM_CONF=FOLDER/slurm.conf
# CORES are those that jobs get in all, by default as many as there are. GPUS are pretended: Slurm hands out so many device
# files that are /dev/null's in FOLDER, and sets CUDA_VISIBLE_DEVICES as for real ones.
set -euo pipefail
[ $# -ge 1 ] && [ $# -le 3 ] || { echo "usage: start.sh FOLDER [CORES [GPUS]]" >&2; exit 2; }
mkdir -p "$1"
folder=$(realpath "$1")
for program in munged slurmctld slurmd sinfo; do
  command -v "$program" >/dev/null || { echo "start.sh: $program is missing: apt-get install slurm-wlm munge" >&2; exit 2; }
done
[ "$(id -u)" = 0 ] || { echo "start.sh: slurmd starts jobs as their users, which takes root" >&2; exit 2; }
host=$(hostname -s)
cores=${2:-$(nproc)}
gpus=${3:-0}
# Ports that follow from the folder, so that two clusters do not meet, below those that the kernel hands out.
port=$((20000 + $(printf '%s' "$folder" | cksum | cut -d' ' -f1) % 12000))

# munged insists on folders that only its user can write to.
munge=$folder/munge
mkdir -p "$munge" "$folder/state" "$folder/spool" "$folder/log"
chmod 755 "$folder"
head -c 1024 /dev/urandom >"$munge/key"
chmod 400 "$munge/key"
chmod 755 "$munge"
munged --force --key-file="$munge/key" --socket="$munge/socket" --pid-file="$munge/pid" --log-file="$munge/log" \
  --seed-file="$munge/seed"

# A requeued job waits until its credential has expired: two minutes by default.
cat >"$folder/slurm.conf" <<TEXT
ClusterName=gausscse-test
SlurmctldHost=$host
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$munge/socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=2,bf_interval=2
ReturnToService=2
JobRequeue=1
KillWait=10
OverTimeLimit=0
GresTypes=gpu
NodeName=$host CPUs=$cores RealMemory=1000 Gres=gpu:$gpus State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP
TEXT
: >"$folder/gres.conf"
for ((gpu = 0; gpu < gpus; ++gpu)); do
  [ -e "$folder/gpu$gpu" ] || mknod "$folder/gpu$gpu" c 1 3
  echo "Name=gpu File=$folder/gpu$gpu" >>"$folder/gres.conf"
done
export SLURM_CONF=$folder/slurm.conf
slurmctld
slurmd
for attempt in $(seq 100); do
  [ "$(sinfo -h -o %t 2>/dev/null)" = idle ] && exit 0
  sleep 0.2
done
echo "start.sh: the node is not idle after 20 s; what the daemons say is in $folder/log" >&2
tail -n 5 "$folder"/log/* >&2
exit 1
