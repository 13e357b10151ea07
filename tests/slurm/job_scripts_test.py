#!/usr/bin/env python3
"""slurm/train.sbatch and slurm/grid.sbatch without Slurm: job_scripts_test.py FOLDER-OF-THE-SCRIPTS.

srun, mpirun, scontrol, sleep and the program are one stand-in, which writes down how it was called and, where a test says
so, waits for a signal. What Slurm itself makes of the jobs is tested by slurm/test-cluster/test.sh.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "slurm").resolve()

STAND_IN = """#!%s
import json, os, pathlib, signal, sys
name = pathlib.Path(sys.argv[0]).name
waited_for = {signal.SIGUSR2, signal.SIGTERM}
def tell(what):
    with open(os.environ["CALLS"], "a") as calls:
        calls.write(json.dumps(what) + "\\n")
waits = os.environ.get("WAITS") and name not in ("scontrol", "sleep")
if waits:
    signal.pthread_sigmask(signal.SIG_BLOCK, waited_for)
tell([name, sys.argv[1:], {key: value for key, value in os.environ.items() if key.startswith("OMPI_MCA_")}])
if waits:
    with open(os.environ["WAITS"], "w") as ready:
        ready.write("ready")
    tell(signal.Signals(signal.sigwait(waited_for)).name)
sys.exit(int(os.environ.get("CODE_OF_SCONTROL" if name == "scontrol" else "CODE", "0")) if name != "sleep" else 0)
""" % sys.executable

KEEPALIVE = {"OMPI_MCA_oob_tcp_keepalive_time": "60", "OMPI_MCA_oob_tcp_keepalive_intvl": "10",
             "OMPI_MCA_oob_tcp_keepalive_probes": "3"}


class Job:
    """Results of a script: its exit code and output, and the calls and signals of the stand-in in their order."""

    def __init__(self, code, output, errors, calls):
        self.code, self.output, self.errors = code, output, errors
        self.calls = [call if isinstance(call, str) else call[:2] for call in calls]
        self.environments = [call[2] for call in calls if not isinstance(call, str)]


class JobScripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("srun", "mpirun", "scontrol", "sleep", "gausscse", "other program"):
            (self.folder / name).write_text(STAND_IN)
            (self.folder / name).chmod(0o755)

    def run_job(self, script, *arguments, warn_with=None, **environment):
        """Runs the script as Slurm does, and sends it a signal, if one is given, when its program has started."""
        calls, ready = self.folder / "calls", self.folder / "ready"
        calls.write_text("")
        job = {"PATH": f"{self.folder}:{os.environ['PATH']}", "CALLS": str(calls), "SLURM_JOB_ID": "41",
               "SLURM_NTASKS": "4", "SLURM_JOB_NODELIST": "node[1-2]"} | environment
        if warn_with:
            ready.unlink(missing_ok=True)
            os.mkfifo(ready)
            job["WAITS"] = str(ready)
        process = subprocess.Popen(["bash", SCRIPTS / script, *arguments], env=job, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        if warn_with:
            ready.read_text()
            process.send_signal(warn_with)
        output, errors = process.communicate(timeout=60)
        return Job(process.returncode, output, errors, [json.loads(line) for line in calls.read_text().splitlines()])

    def test_options_of_sbatch(self):
        for script, more in (("train.sbatch", {"--ntasks-per-node=2"}), ("grid.sbatch", {"--ntasks=1"})):
            options = set(re.findall(r"^#SBATCH (\S+)$", (SCRIPTS / script).read_text(), re.MULTILINE))
            self.assertEqual({option for option in options if not option.startswith(("--job-name=", "--time="))},
                             {"--nodes=1", "--requeue", "--open-mode=append", "--signal=B:USR1@120"} | more, script)

    def test_too_few_arguments_are_refused(self):
        for script, arguments in (("train.sbatch", []), ("grid.sbatch", ["manifest.yaml"])):
            job = self.run_job(script, *arguments)
            self.assertEqual((job.code, job.calls), (2, []))
            self.assertTrue(job.errors.startswith("usage: sbatch "), job.errors)

    def test_srun_trains(self):
        job = self.run_job("train.sbatch", "a trial.yaml", "--set", "x=1 2", SLURM_RESTART_COUNT="2")
        self.assertEqual(job.calls, [["srun", ["--mpi=pmix", "--kill-on-bad-exit=1", "gausscse", "train", "a trial.yaml",
                                               "--set", "x=1 2"]]])
        self.assertEqual((job.code, job.output), (0, "job 41, start 2, 4 ranks on node[1-2]\n"))
        # srun does not take the cores of a task from the job by itself.
        job = self.run_job("train.sbatch", "trial.yaml", SLURM_CPUS_PER_TASK="3", GAUSSCSE="other program", CODE="7")
        self.assertEqual(job.calls, [["srun", ["--mpi=pmix", "--kill-on-bad-exit=1", "--cpus-per-task=3",
                                               "other program", "train", "trial.yaml"]]])
        self.assertEqual((job.code, job.output), (7, "job 41, start 0, 4 ranks on node[1-2]\n"))

    def test_mpirun_trains(self):
        job = self.run_job("train.sbatch", "trial.yaml", "--overwrite", LAUNCHER="mpirun")
        self.assertEqual(job.calls, [["mpirun", ["-np", "4", "--bind-to", "none", "gausscse", "train", "trial.yaml",
                                                 "--overwrite"]]])
        self.assertEqual(job.environments, [KEEPALIVE])
        own = dict.fromkeys(KEEPALIVE, "5")
        self.assertEqual(self.run_job("train.sbatch", "trial.yaml", LAUNCHER="mpirun", **own).environments, [own])
        job = self.run_job("train.sbatch", "trial.yaml", LAUNCHER="mpiexec")
        self.assertEqual((job.code, job.calls, job.errors), (2, [], "LAUNCHER=mpiexec: give srun or mpirun\n"))

    def test_a_worker_runs(self):
        job = self.run_job("grid.sbatch", "a manifest.yaml", "results", "--retry-failed", CODE="1")
        self.assertEqual(job.calls, [["gausscse", ["run", "a manifest.yaml", "--results", "results",
                                                   "--retry-failed"]]])
        self.assertEqual((job.code, job.output), (1, "job 41, start 0, on node[1-2]\n"))
        array = {"SLURM_ARRAY_JOB_ID": "40", "SLURM_ARRAY_TASK_ID": "3"}
        self.assertEqual(self.run_job("grid.sbatch", "manifest.yaml", "results", **array).output,
                         "job 40_3, start 0, on node[1-2]\n")

    def test_a_warned_job_is_queued_again(self):
        # Any code but 0 is a training that has something left; a worker has where it was stopped.
        for script, code in (("train.sbatch", "1"), ("train.sbatch", "143"), ("grid.sbatch", "143")):
            for number, array in (("41", {}), ("40_3", {"SLURM_ARRAY_JOB_ID": "40", "SLURM_ARRAY_TASK_ID": "3"})):
                job = self.run_job(script, "file.yaml", "results", warn_with=signal.SIGUSR1, CODE=code, **array)
                self.assertEqual(job.calls[1:], ["SIGUSR2", ["scontrol", ["requeue", number]], ["sleep", ["300"]]])
                self.assertEqual(job.code, int(code))
                self.assertIn("\nthe time is up: the job will be queued again", job.output)
                self.assertNotIn("could not", job.errors)

    def test_a_job_that_slurm_does_not_queue_again_fails(self):
        for script in ("train.sbatch", "grid.sbatch"):
            job = self.run_job(script, "file.yaml", "results", warn_with=signal.SIGUSR1, CODE="143",
                               CODE_OF_SCONTROL="1")
            self.assertEqual(job.calls[1:], ["SIGUSR2", ["scontrol", ["requeue", "41"]]])
            self.assertEqual(job.code, 143)
            self.assertIn("the job could not be queued again: the same sbatch command goes on", job.errors)

    def test_a_warned_job_that_has_nothing_left_is_done(self):
        for script, code in (("train.sbatch", "0"), ("grid.sbatch", "0"), ("grid.sbatch", "1"), ("grid.sbatch", "128")):
            job = self.run_job(script, "file.yaml", "results", warn_with=signal.SIGUSR1, CODE=code)
            self.assertEqual((job.calls[1:], job.code), (["SIGUSR2"], int(code)))

    def test_a_worker_is_ended_with_its_job(self):
        job = self.run_job("grid.sbatch", "manifest.yaml", "results", warn_with=signal.SIGTERM, CODE="143")
        self.assertEqual((job.calls[1:], job.code), (["SIGTERM"], 143))

    def test_a_failure_without_a_warning_is_not_queued_again(self):
        for script in ("train.sbatch", "grid.sbatch"):
            job = self.run_job(script, "file.yaml", "results", CODE="143")
            self.assertEqual((len(job.calls), job.code), (1, 143))


if __name__ == "__main__":
    unittest.main()
