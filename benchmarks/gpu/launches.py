"""Launches of kernels: how large they are, how often their loops turn, and how many bytes they move."""

import dataclasses

FLOAT, FACTOR = 4, 2  # bytes of a value, and of a factor of matrix products in bfloat16


@dataclasses.dataclass(frozen=True)
class Body:
    """Blocks of a launch that run one of the kernel's bodies: its number, see Flow.usual_path, and its loops."""

    number: int | None
    blocks: int
    turns: tuple


@dataclasses.dataclass(frozen=True)
class Launch:
    """Launches of one size. `turns` has a pair for each loop of the kernel's usual path: turns, and the loops within it."""

    kernel: str
    times: int  # a step
    blocks: int
    threads: int
    bytes: float  # least number to read and write, each value once
    turns: tuple = ()
    shared: int = 0  # bytes of a block
    idle: dict | None = None  # pieces of code that are jumped over, such as votes for masks that are not drawn
    rare: tuple = ()  # instructions' words: code with them is not on the usual path
    bodies: tuple = ()  # of a kernel that has several, in place of its turns


def parts(count, part):
    return -(-count // part)
