#!/usr/bin/env bash
#SBATCH --job-name=picklock
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --signal=USR1@90
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=picklock-%A_%a.out
# One shard of a sweep: sbatch --array=1-N array.sh SCENARIO [OPTION…]; the options are those of picklock sweep.
set -uo pipefail
shard=$SLURM_ARRAY_TASK_ID of=$SLURM_ARRAY_TASK_COUNT
picklock=${PICKLOCK:-picklock}

mkdir -p shards
sweep=("$picklock" sweep "$@" --shard "$shard/$of" --store "shards/$shard.sqlite" --jobs "${SLURM_CPUS_PER_TASK:-1}")
if [ -n "${SLURM_JOB_ID:-}" ] && command -v srun >/dev/null; then sweep=(srun "${sweep[@]}"); fi
"${sweep[@]}"
status=$?
# Interrupted before the end of its time: the same task goes on later.
if [ "$status" -eq 3 ] && [ -n "${SLURM_JOB_ID:-}" ] && command -v scontrol >/dev/null; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
