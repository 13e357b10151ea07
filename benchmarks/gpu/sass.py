"""Reads the machine code of kernels out of what nvcc compiled: their resources and instructions.

Takes the toolkit's cuobjdump and nvdisasm from the PATH, from next to nvcc, or from where scripts/setup.sh --cuda installs
them.
"""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

# Bits of one thread's access, by the words of the instruction's name.
WIDTHS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "64": 64, "128": 128}


class NoCode(Exception):
    """Why no machine code could be read."""


@dataclasses.dataclass
class Instruction:
    address: int
    guard: str  # predicate that it is executed under, or ""
    name: str  # LDG.E.128
    operands: str
    target: int | None = None  # address, of a branch

    @property
    def word(self):
        return self.name.split(".")[0]

    def bits(self):
        """Width of an access of memory."""
        return next((WIDTHS[part] for part in self.name.split(".")[1:] if part in WIDTHS), 32)


@dataclasses.dataclass
class Kernel:
    name: str  # demangled, without namespaces and parameters
    registers: int = 0
    stack: int = 0  # bytes of a thread: registers that do not fit, and arrays that are indexed by a variable
    shared: int = 0  # bytes of a block, without those of the launch
    code: list = dataclasses.field(default_factory=list)

    def widths(self, word):
        """Returns the number of instructions of this word by the number of bits that they access."""
        counts = {}
        for instruction in self.code:
            if instruction.word == word:
                counts[instruction.bits()] = counts.get(instruction.bits(), 0) + 1
        return dict(sorted(counts.items()))

    def count(self, *words):
        return sum(instruction.word in words for instruction in self.code)


def tool(name):
    """Path of a program of the toolkit."""
    cache = pathlib.Path(os.environ.get("GAUSSCSE_CACHE", pathlib.Path.home() / ".cache/gausscse"))
    folders = sorted(cache.glob("cuda-disassembler-*/nvidia/cu13/bin"))
    nvcc = shutil.which("nvcc")
    if nvcc:
        folders.append(pathlib.Path(nvcc).resolve().parent)
    path = shutil.which(name) or next((folder / name for folder in folders if (folder / name).exists()), None)
    if path is None:
        raise NoCode(f"{name} is neither on the PATH nor in {[str(folder) for folder in folders]}: run scripts/setup.sh --cuda")
    return path


def output_of(*words, folder=None):
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise NoCode(f"{words[0]}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def short_name(name):
    """Without return type, namespaces and parameters: `adamw_kernel<float>`."""
    name = name.removeprefix("void ")
    depth, end = 0, len(name)
    for at in range(len(name) - 1, -1, -1):
        depth += (name[at] == ")") - (name[at] == "(")
        if name[at] == "(" and depth == 0:
            end = at
            break
    name = re.sub(r"\((?:[a-z]+::)*[A-Za-z]+\)(?=\d)", "", name[:end])
    return re.sub(r"\b(?:gausscse|kernels|cuda)::", "", name).replace(" >", ">")


def demangled(names):
    """By their mangled names."""
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return dict(zip(names, [short_name(line) for line in text.splitlines()], strict=True))


def parsed_code(text):
    """Instructions by mangled name of their kernel, of what nvdisasm prints."""
    kernels, labels, code, waiting = {}, {}, None, []

    def close():
        for instruction in code or []:
            if isinstance(instruction.target, str):
                instruction.target = labels.get(instruction.target)

    for line in text.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.([^,\s]+)", line)
        label = re.match(r"(\.L_x_\d+):", line)
        found = re.match(r"\s+/\*([0-9a-f]+)\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;", line)
        if section:
            close()
            labels, waiting = {}, []
            code = kernels.setdefault(section[1], [])
        elif label:
            waiting.append(label[1])
        elif found and code is not None:
            target = re.search(r"\(?(\.L_x_\d+)\)?", found[4]) if found[3].startswith("BRA") else None
            code.append(Instruction(int(found[1], 16), found[2] or "", found[3], found[4], target[1] if target else None))
            labels.update({name: code[-1].address for name in waiting})
            waiting = []
    close()
    return kernels


def kernels_of_cubin(cubin):
    """Kernels by their names."""
    usage = output_of(tool("cuobjdump"), "--dump-resource-usage", cubin)
    code = parsed_code(output_of(tool("nvdisasm"), "-c", cubin))
    resources = re.findall(r"Function (\S+):\s*\n\s*REG:(\d+) STACK:(\d+) SHARED:(\d+)", usage)
    names = demangled([row[0] for row in resources])
    # What follows the last EXIT or branch only fills the memory.
    kernels = [
        Kernel(names[row[0]], *[int(word) for word in row[1:]], without_padding(code.get(row[0], []))) for row in resources
    ]
    if not kernels or not all(kernel.code for kernel in kernels):
        raise NoCode(f"{cubin}: {len(kernels)} kernels, of which some have no instructions")
    return {kernel.name: kernel for kernel in sorted(kernels, key=lambda kernel: kernel.name)}


def without_padding(code):
    end = len(code)
    while end and (code[end - 1].word == "NOP" or code[end - 1].target == code[end - 1].address):
        end -= 1
    return code[:end]


def kernels_of(path, architecture):
    """Kernels of a cubin, an object, a library or a program for this kind of GPU, such as "sm_90"."""
    path = pathlib.Path(path).resolve()
    if path.suffix == ".cubin":
        return kernels_of_cubin(path)
    kernels = {}
    with tempfile.TemporaryDirectory() as folder:
        output_of(tool("cuobjdump"), "-xelf", "all", path, folder=folder)
        for cubin in sorted(pathlib.Path(folder).glob(f"*{architecture}*.cubin")):
            if cubin.stat().st_size > 0:
                kernels.update(kernels_of_cubin(cubin))
    if not kernels:
        raise NoCode(f"{path} has no code for {architecture}")
    return kernels
