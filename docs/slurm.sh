#!/bin/bash
# The driver on a Slurm cluster: from a checkout after `make setup`, on a disk that all nodes share,
#     sbatch docs/slurm.sh sweep kernel_mean --grid noise=0:0.45:0.05
# A task is one notebook at a time. A job that ran out of time goes on where it was, with the same command.
#SBATCH --job-name=five-papers
#SBATCH --ntasks=8
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=4G
#SBATCH --time=02:00:00
set -eu
cd "$SLURM_SUBMIT_DIR"
own=build/dask/slurm-$SLURM_JOB_ID
python=.venv/bin/python
# Whoever reaches a scheduler or a worker can run code there: these ask for the key of this job.
(umask 077 && mkdir -p "$own")
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=job -keyout "$own/key.pem" -out "$own/cert.pem" 2>/dev/null
export DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION=True
export DASK_DISTRIBUTED__COMM__TLS__CA_FILE="$PWD/$own/cert.pem"
for who in SCHEDULER WORKER CLIENT; do
    export "DASK_DISTRIBUTED__COMM__TLS__${who}__CERT=$PWD/$own/cert.pem" "DASK_DISTRIBUTED__COMM__TLS__${who}__KEY=$PWD/$own/key.pem"
done
export DASK_LOGGING__DISTRIBUTED=error
# Workers first: one that loses its scheduler while it ends may stay.
trap 'for each in %2 %1; do kill "$each" 2>/dev/null && wait "$each"; done; rm -r "$own"' EXIT
$python -m dask scheduler --protocol tls --port 0 --no-dashboard --scheduler-file "$own/scheduler.json" &
srun $python -m dask worker --scheduler-file "$own/scheduler.json" --nthreads 1 --no-nanny --no-dashboard \
    --death-timeout 300 --local-directory "${TMPDIR:-/tmp}" &
# The address, once a worker is there.
address=$($python -c 'import sys
from distributed import Client
client = Client(scheduler_file=sys.argv[1], timeout=300)
client.wait_for_workers(1, timeout=300)
print(client.scheduler.address)' "$own/scheduler.json")
$python -m reproduce "$@" --scheduler "$address"
