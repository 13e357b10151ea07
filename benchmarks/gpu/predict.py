#!/usr/bin/env python3
"""Predicts the times of the kernels of a training step on an H200, from the machine code of a build.

    benchmarks/gpu/predict.py build/cuda/model/kernels/libgausscse_cuda_kernels.a

Prints for each kernel its floor, instructions and predicted time, and their sums. A kernel takes the longest of four times:

- its bytes, by the rate of memory;
- the instructions of all warps along their usual path, by what a multiprocessor issues;
- those of them that the special functions' unit computes;
- the waits of the warps of one multiprocessor that do not run at once, each wait as long as an access of global memory.
"""

import argparse
import dataclasses
import sys

import attention_kernels
import control_flow
import launches
import loss_kernels
import predictions
import run_kernels
import sass
import step_kernels

# An H200, and what a multiprocessor is assumed to do.
MULTIPROCESSORS, HERTZ = 132, 1.755e9
BYTES_A_SECOND = 4.3e12
ISSUED_A_CYCLE = 2.25  # instructions of warps; 2 to 2.5
SPECIAL_A_CYCLE = 0.5
ACCESS_CYCLES = 700  # of global memory, under load
INSTRUCTION_CYCLES = 4  # of one warp, for an instruction that needs the one before
BARRIER_CYCLES = 30
BFLOAT16_FLOPS = 989e12
LAUNCH_SECONDS = 1.5e-6  # begin and end of a kernel, of which the next one hides some
REGISTERS, WARPS, SHARED, BLOCKS = 65536, 64, 227 << 10, 32  # of a multiprocessor


class Mismatch(Exception):
    """Why a build's kernel is not what a launch expects."""


@dataclasses.dataclass
class Counts:
    """Counts of one thread: along its path, each loop as often as it turns."""

    instructions: float = 0
    special: float = 0
    waits: float = 0
    barriers: float = 0


def counted(loop, turns, times, counts, kernel):
    if len(loop.children) != len(turns):
        raise Mismatch(f"{kernel}: {len(turns)} loops are expected where the build has {len(loop.children)}")
    counts.instructions += times * len(loop.path)
    counts.special += times * sum(instruction.word == "MUFU" for instruction in loop.path)
    counts.waits += times * loop.waits
    counts.barriers += times * sum(instruction.word == "BAR" for instruction in loop.path)
    for child, (turn, inner) in zip(loop.children, turns, strict=True):
        counted(child, inner, times * turn, counts, kernel)
    return counts


@dataclasses.dataclass
class Prediction:
    kernel: str
    times: int
    floor: float  # seconds of one launch
    seconds: float
    instructions: float  # of all warps of one launch
    bound: str


def predicted(launch, kernels):
    kernel = kernels.get(launch.kernel)
    if kernel is None:
        raise Mismatch(f"the build has no kernel {launch.kernel}")
    bodies = launch.bodies or (launches.Body(None, launch.blocks, launch.turns),)
    counts = [counted(control_flow.analysed(kernel, launch.rare, launch.idle, body.number), body.turns, 1, Counts(),
                      launch.kernel) for body in bodies]  # fmt: skip
    # Counts of all warps.
    instructions, special = (
        sum(body.blocks * launch.threads / 32 * getattr(count, what) for body, count in zip(bodies, counts, strict=True))
        for what in ("instructions", "special")
    )
    registers = -(-kernel.registers // 8) * 8 * launch.threads
    shared = max(1024, launch.shared + kernel.shared)
    resident = min(BLOCKS, WARPS * 32 // launch.threads, REGISTERS // registers, SHARED // shared)
    of_warps = [count.waits * ACCESS_CYCLES + count.instructions * INSTRUCTION_CYCLES + count.barriers * BARRIER_CYCLES
                for count in counts]  # fmt: skip
    one_after_another = sum(body.blocks * cycles for body, cycles in zip(bodies, of_warps, strict=True))
    # Few blocks do not fill all multiprocessors.
    busy = min(MULTIPROCESSORS, launch.blocks)
    times = {
        "memory": launch.bytes / BYTES_A_SECOND,
        "instructions": instructions / (busy * ISSUED_A_CYCLE * HERTZ),
        "special functions": special / (busy * SPECIAL_A_CYCLE * HERTZ),
        "waits": max(*of_warps, one_after_another / (resident * MULTIPROCESSORS), 0) / HERTZ,
    }
    bound = max(times, key=times.get)
    return Prediction(launch.kernel, launch.times, times["memory"], times[bound] + LAUNCH_SECONDS,
                      instructions, bound)  # fmt: skip


def predicted_groups(step, kernels):
    """The step's launches by the groups of predictions.py."""
    groups = {}
    for launch in step_kernels.launches(step):
        group = predictions.group_of("cuda::" + launch.kernel).name
        groups.setdefault(group, []).append(predicted(launch, kernels))
    return groups


def summed(rows):
    """Milliseconds, floor and millions of instructions of these launches together."""
    return (1e3 * sum(row.times * row.seconds for row in rows), 1e3 * sum(row.times * row.floor for row in rows),
            sum(row.times * row.instructions for row in rows) / 1e6)  # fmt: skip


def print_step(step, kernels, out):
    print(f"\n{step.name}: {step.tokens:,} tokens", file=out)
    print(f"{'times':>6} {'floor us':>9} {'us':>8} {'Minst':>8}  {'bound by':<18} kernel", file=out)
    total = 0.0
    for group, rows in predicted_groups(step, kernels).items():
        for row in rows:
            print(f"{row.times:>6} {1e6 * row.floor:>9.1f} {1e6 * row.seconds:>8.1f} {row.instructions / 1e6:>8.2f}  "
                  f"{row.bound:<18} {row.kernel}", file=out)  # fmt: skip
        milliseconds, floor, instructions = summed(rows)
        total += milliseconds
        print(f"{'':6} {floor:>8.2f}ms {milliseconds:>6.2f}ms {instructions:>7.0f}  {group}", file=out)
    products = 1e3 * step.product_flops / step.tera_flops
    floor = 1e3 * step.product_flops / BFLOAT16_FLOPS
    print(f"{'':6} {floor:>8.2f}ms {products:>6.2f}ms {'':7}  matrix products, {step.product_flops / 1e12:.1f} TFLOP", file=out)
    print(f"{'':6} {'':10} {total + products:>6.2f}ms {'':7}  sum of these", file=out)


def print_attention(of, kernels, out):
    print(f"\n{of.name}", file=out)
    for launch in attention_kernels.long_attention(of):
        row = predicted(launch, kernels)
        print(f"{1e3 * row.floor:>8.3f} {1e3 * row.seconds:>8.3f} ms {row.instructions / 1e6:>8.1f} Minst  {row.bound:<18} "
              f"{row.kernel}", file=out)  # fmt: skip


def print_loss(of, kernels, out):
    print(f"\n{of.name}", file=out)
    total = 0.0
    for launch in loss_kernels.loss(of):
        row = predicted(launch, kernels)
        total += row.times * row.seconds
        print(f"{row.times:>6} {row.times * row.seconds:>8.2f} s {row.times * row.instructions / 1e9:>8.1f} Ginst  "
              f"{row.bound:<18} {row.kernel}", file=out)  # fmt: skip
    print(f"{'':6} {total:>8.2f} s  sum of these", file=out)


def print_runs(kernels, out):
    """Returns the entries of predictions.py on the paper's runs: milliseconds of its steps, and the parts of an evaluation."""
    def seconds_of(launches):
        return sum(row.times * row.seconds for row in (predicted(launch, kernels) for launch in launches))

    print("\nbert-base and others: steps of 16, 32, 64 and 128 triples in ms, evaluation of SNLI's dev set in s", file=out)
    for backbone in run_kernels.BACKBONES:
        steps = [1e3 * run_kernels.step_seconds(run_kernels.step_of(backbone, triples), seconds_of, BYTES_A_SECOND)
                 for triples in predictions.GRID_BATCHES]  # fmt: skip
        evaluation = run_kernels.evaluation_of(backbone, seconds_of, BYTES_A_SECOND)
        parts = ", ".join(f"{name} {seconds:.4f}" for name, seconds in dataclasses.asdict(evaluation).items())
        print(f"{backbone:<14} {' '.join(f'{step:6.2f}' for step in steps)}  {evaluation.seconds:.3f} ({parts})", file=out)


def print_small_steps(kernels, out):
    """One line of Markdown for each group: milliseconds of a step of the smallest batch of base and large models."""
    steps = [run_kernels.step_of(backbone, predictions.GRID_BATCHES[0]) for backbone in ("BERT-base", "BERT-large")]
    columns = []
    for step in steps:
        column = {group: summed(rows)[0] for group, rows in predicted_groups(step, kernels).items()}
        column["matrix products"] = 1e3 * run_kernels.product_seconds(step.product_flops, step.layers)
        column["column sums, copies, all others"] += 1e3 * run_kernels.other_seconds(step, BYTES_A_SECOND)
        columns.append(column)
    print(f"\n{' and '.join(step.name for step in steps)}, ms", file=out)
    for group in sorted(columns[0], key=columns[0].get, reverse=True):
        print("|", " | ".join([group, *(f"{column[group]:.2f}" for column in columns)]), "|", file=out)


def print_table(kernels, out):
    """One line of Markdown for each group: milliseconds, floor and millions of instructions of each step."""
    steps = [predicted_groups(step, kernels) for step in step_kernels.STEPS]
    for group in steps[0]:
        cells = [number for step in steps for number in summed(step[group])]
        texts = [f"{number:.2f}" if i % 3 < 2 else f"{number:,.0f}" for i, number in enumerate(cells)]
        print("|", " | ".join([group, *texts]), "|", file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="what nvcc compiled: a cubin, an object, a library or a program")
    parser.add_argument("--architecture", default="sm_90")
    parser.add_argument("--table", action="store_true", help="print only the groups, as docs/developers/gpu_kernels.md has them")
    options = parser.parse_args()
    try:
        kernels = sass.kernels_of(options.build, options.architecture)
        if options.table:
            print_table(kernels, sys.stdout)
        for step in step_kernels.STEPS if not options.table else ():
            print_step(step, kernels, sys.stdout)
        for of in attention_kernels.LONG if not options.table else ():
            print_attention(of, kernels, sys.stdout)
        for of in loss_kernels.EXACT_STEPS if not options.table else ():
            print_loss(of, kernels, sys.stdout)
        if not options.table:
            print_runs(kernels, sys.stdout)
            print_small_steps(kernels, sys.stdout)
    except (sass.NoCode, Mismatch) as error:
        sys.exit(f"predict.py: {error}")


if __name__ == "__main__":
    main()
