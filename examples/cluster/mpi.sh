#!/usr/bin/env bash
#SBATCH --job-name=picklock-mpi
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --signal=B:USR1@90
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=picklock-%j.out
# One sweep on many machines: sbatch mpi.sh SCENARIO [OPTION…]; the options are those of picklock sweep. One rank a machine,
# with a thread for each of its processors; rank 0 keeps results.sqlite.
set -uo pipefail
program=${PICKLOCK_MPI:-picklock-mpi}

export PICKLOCK_STATUS_FILE=$PWD/status-${SLURM_JOB_ID:-none}
rm -f "$PICKLOCK_STATUS_FILE"
sweep=("$program" sweep "$@" --store "${STORE:-results.sqlite}" --out "${OUT:-results.csv}" --format csv
  --jobs "${SLURM_CPUS_PER_TASK:-1}")
# A rank that dies costs what it was playing; without this option, mpirun would end the others too.
# shellcheck disable=SC2086
mpirun --enable-recovery ${MPIRUN_OPTIONS:---map-by node --bind-to none} "${sweep[@]}" &
mpirun=$!
trap 'kill -USR1 "$mpirun"' USR1 TERM  # mpirun passes it on to the ranks; they finish what they have begun
while kill -0 "$mpirun" 2>/dev/null; do wait "$mpirun"; done  # a signal ends `wait`; mpirun goes on
trap - USR1 TERM
# mpirun itself says 0 whenever it goes on without a rank. No file: rank 0 was killed.
status=$(cat "$PICKLOCK_STATUS_FILE" 2>/dev/null || echo 1)
rm -f "$PICKLOCK_STATUS_FILE"
# Interrupted before the end of its time: the same job goes on later.
if [ "$status" -eq 3 ] && [ -n "${SLURM_JOB_ID:-}" ] && command -v scontrol >/dev/null; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
