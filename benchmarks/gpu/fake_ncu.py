#!/usr/bin/env python3
"""Stands in for ncu in a rehearsal: runs the program, and writes CSV of ncu's form about launches that never were.

Steps are made of the kernels below, over and over; every launch takes 1,000 ns, moves 2,000 bytes and executes 3,000
instructions.
"""

import csv
import io
import subprocess
import sys

OURS = "void gausscse::kernels::cuda::"
# A step's kernels in their order, and how often each comes. Names are as ncu prints them.
STEP = [(OURS + "round_to_bfloat16_kernel<float>(const T1 *, gausscse::kernels::Bfloat16 *, long)", 1),
        (OURS + "add_layer_norm_kernel<float, gausscse::kernels::Bfloat16>(gausscse::kernels::cuda::Row<T1, T2>)", 25),
        ("nvjet_tst_128x64_64x8_1x2_h_bz_coopA_TNT", 150),
        (OURS + "attention_short_kernel<2, false, float, gausscse::kernels::Bfloat16>(T3)", 24),
        (OURS + "bias_gelu_kernel<float, gausscse::kernels::Bfloat16>(const T2 *, T2 *)", 12),
        (OURS + "softmax_kernel<float, gausscse::kernels::Joint<gausscse::kernels::cuda::DeviceMath>, 0>(T1)", 1),
        ("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char *, 1>>(int)", 3),
        (OURS + "add_layer_norm_backward_kernel<float, gausscse::kernels::Bfloat16>(T1)", 25),
        (OURS + "gelu_backward_kernel<float, gausscse::kernels::Bfloat16>(T1)", 12),
        (OURS + "add_partial_sums_kernel<float>(const T1 *, long, long, long)", 36),
        (OURS + "sum_of_squares_kernel<float>(const T1 *, long, double *)", 1),
        (OURS + "adamw_kernel<float>(gausscse::kernels::AdamwStep<T1>)", 1)]  # fmt: skip
VALUES = {"gpu__time_duration.sum": ("nsecond", "1,000"), "dram__bytes.sum": ("byte", "2,000"),
          "smsp__inst_executed.sum": ("inst", "3,000")}  # fmt: skip
HEADER = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
          "Device", "CC", "Section Name", "Metric Name", "Metric Unit", "Metric Value"]  # fmt: skip


def main():
    words = sys.argv[1:]
    given = {}
    while words and words[0].startswith("--"):
        name = words.pop(0)
        given[name] = None if name == "--csv" else words.pop(0)
    for name in ("--csv", "--log-file", "--launch-skip", "--launch-count", "--metrics", "--clock-control"):
        if name not in given:
            sys.exit(f"fake_ncu.py: {name} is missing")
    code = subprocess.call(words)
    kernels = [name for name, count in STEP for _ in range(count)]
    text = io.StringIO()
    text.write(f"==PROF== Connected to process 1 ({words[0]})\n")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(HEADER)
    begin = int(given["--launch-skip"])
    for number in range(int(given["--launch-count"])):
        kernel = kernels[(begin + number) % len(kernels)]
        for metric in given["--metrics"].split(","):
            writer.writerow([number, 1, "gausscse", "127.0.0.1", kernel, 1, 7, "(256, 1, 1)", "(64, 1, 1)", 0, "9.0",
                             "Command line profiler metrics", metric, *VALUES[metric]])  # fmt: skip
    text.write("==PROF== Disconnected from process 1\n")
    with open(given["--log-file"], "w", encoding="utf-8") as file:
        file.write(text.getvalue())
    return code


if __name__ == "__main__":
    sys.exit(main())
