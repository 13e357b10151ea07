#!/usr/bin/env python3
"""Prints the machine and programs of a table of measurements, as one Markdown paragraph."""

import argparse
import importlib.metadata
import os
import pathlib
import platform
import subprocess

INSTRUCTIONS = ("amx_bf16", "amx_int8", "avx512_bf16", "avx512_vnni")


def cpu():
    """(name, names of its instructions for bf16 and int8)"""
    fields = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        key, separator, value = line.partition(":")
        if separator:
            fields.setdefault(key.strip(), value.strip())
    flags = fields.get("flags", "").split()
    return fields.get("model name", platform.machine()), [flag for flag in INSTRUCTIONS if flag in flags]


def version_of(package):
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", required=True)
    parser.add_argument("--precision", required=True)
    parser.add_argument("--rounds", required=True)
    parser.add_argument("--gausscse", required=True, help="the program")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--clock", default="wall")
    settings = parser.parse_args()
    name, instructions = cpu()
    command = [settings.gausscse, "--version"]
    version = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    packages = ("torch", "transformers", "sentence-transformers")
    versions = ", ".join(filter(None, map(version_of, packages)))
    gpu = ""
    if settings.device == "cuda":
        import torch

        gpu = f"on {torch.cuda.get_device_name()}; "
    print(
        f"{gpu}{name}, {len(os.sched_getaffinity(0))} cores usable, {settings.threads} threads; "
        f"instructions: {', '.join(instructions) or 'neither for bf16 nor for int8'}; "
        f"precision of training {settings.precision}; {settings.rounds} rounds; rates by {settings.clock} time; "
        f"{version}; {versions}."
    )


if __name__ == "__main__":
    main()
