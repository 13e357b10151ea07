"""Finds the loops of a kernel's machine code, and the instructions along its usual path."""

import dataclasses
import re

# Arithmetic of float64, which float kernels have for rare values alone.
DOUBLE = ("DADD", "DMUL", "DFMA", "DSETP")
ENDS = ("EXIT", "RET")


@dataclasses.dataclass
class Loop:
    """A natural loop: the instructions from which its branch back is reached without passing its first one."""

    header: int
    body: set
    children: list = dataclasses.field(default_factory=list)
    path: list = dataclasses.field(default_factory=list)  # instructions along the usual path, without those of children
    waits: int = 0  # how often the path waits for global memory in one turn, without children


class Flow:
    """The graph of a kernel's instructions, by their place in its code."""

    def __init__(self, code):
        self.code = code
        place = {instruction.address: i for i, instruction in enumerate(code)}
        self.target = [place.get(instruction.target) for instruction in code]
        self.next = []
        for i, instruction in enumerate(code):
            following = [] if self.target[i] is None else [self.target[i]]
            is_last = not instruction.guard and (instruction.word in ENDS or self.jumps_always(i))
            self.next.append(following + ([] if is_last or i + 1 == len(code) else [i + 1]))
        self.before = [[] for _ in code]
        for i, following in enumerate(self.next):
            for j in following:
                self.before[j].append(i)
        self.reachable = self.reached(0, None)

    def jumps_always(self, i):
        """Returns whether an unguarded branch is always taken: BRA.DIV is taken by lanes that do not run together."""
        return self.target[i] is not None and self.code[i].name != "BRA.DIV"

    def reached(self, start, without):
        seen, stack = {start}, [start]
        while stack:
            for j in self.next[stack.pop()]:
                if j != without and j not in seen:
                    seen.add(j)
                    stack.append(j)
        return seen

    def loops(self):
        """All natural loops, outer ones first."""
        found = {}
        for i in sorted(self.reachable):
            header = self.target[i]
            # A slow path that lies behind the code returns to it, too: there the target does not come first.
            if header is None or header > i or (header > 0 and i in self.reached(0, header)):
                continue
            body, stack = {header, i}, [i]
            while stack:
                at = stack.pop()
                for j in self.before[at] if at != header else []:
                    if j in self.reachable and j not in body:
                        body.add(j)
                        stack.append(j)
            found.setdefault(header, set()).update(body)
        return [Loop(header, body) for header, body in sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))]

    def usual_path(self, avoided, idle=None, body=None):
        """Places of the instructions that a thread executes if each loop is run through once.

        A branch forward is taken only if it jumps over a call or a word that is avoided, and over no loop without such
        words: the compiler puts rare code behind the rest, or jumps over it. `idle` has numbers of pieces of code by a
        word: of the pieces with this word that the path comes to and that can be jumped over, those of these numbers are
        jumped over, too. `body` is the number of the branch over an end that is taken: a kernel of several bodies chooses one by such branches.
        """
        loops, path, at, seen = self.loops(), [], 0, set()
        usual = {loop.header for loop in loops if not any(self.code[i].word in avoided for i in loop.body)}
        pieces, ending = dict.fromkeys(idle or {}, -1), -1
        while at is not None and at not in seen:
            seen.add(at)
            path.append(at)
            instruction, target = self.code[at], self.target[at]
            if not instruction.guard and instruction.word in ENDS:
                break
            following = at + 1 if at + 1 < len(self.code) else None
            if target is None or not (instruction.guard or self.jumps_always(at)):
                at = following
            elif target > at:
                skipped = self.code[at + 1 : target]
                may_skip = bool(instruction.guard) and usual.isdisjoint(range(at + 1, target))
                rare = may_skip and any(other.word in ("CALL", *avoided) for other in skipped[: self.first_jump(skipped)])
                # Behind the end lie slow paths.
                ends = any(other.word in ENDS and not other.guard for other in skipped)
                if instruction.guard and ends:
                    ending += 1
                    rare = rare or ending == body
                words = {other.word for other in skipped} if may_skip and not rare and not ends else set()
                for word in pieces.keys() & words:
                    pieces[word] += 1
                    rare = rare or pieces[word] in idle[word]
                at = target if not instruction.guard or rare else following
            else:
                at = following if instruction.guard else self.exit_of(loops, at, path)
        return path

    @staticmethod
    def first_jump(code):
        """Returns the number of instructions before the first branch that is always taken."""
        return next((i for i, other in enumerate(code) if other.word in ("BRA", *ENDS) and not other.guard), len(code))

    def exit_of(self, loops, at, path):
        """Returns the place at which the code goes on behind a loop whose last branch is always taken; or behind a slow path."""
        loop = next((loop for loop in reversed(loops) if loop.header == self.target[at] and at in loop.body), None)
        if loop is None:
            return self.target[at]
        targets = [self.target[i] for i in path if i in loop.body and self.target[i] is not None]
        exits = [target for target in targets if target not in loop.body]
        return exits[-1] if exits else None


def written_registers(instruction):
    """Returns the registers that a load of global memory writes."""
    first = re.match(r"R(\d+)", instruction.operands)
    return {int(first[1]) + i for i in range(max(1, instruction.bits() // 32))} if first else set()


def count_waits(path, loop_of):
    """Counts in each loop how often an instruction needs a load that has not been waited for."""
    pending = set()
    for instruction, loop in zip(path, loop_of, strict=True):
        stores = instruction.word.startswith(("ST", "RED", "ATOM"))
        operands = instruction.operands if stores else instruction.operands.partition(",")[2]
        if pending & {int(number) for number in re.findall(r"\bR(\d+)", operands)}:
            pending = set()
            loop.waits += 1
        if instruction.word == "LDG":
            pending |= written_registers(instruction)


def analysed(kernel, avoided=(), idle=None, body=None):
    """The kernel as a loop that runs once; the loops within it are its children, in the order of the path."""
    flow = Flow(kernel.code)
    whole = Loop(-1, set(range(len(kernel.code))))
    loops = [whole, *flow.loops()]
    places = flow.usual_path(avoided, idle, body)
    visited = {place: order for order, place in enumerate(places)}
    for loop in loops[1:]:
        around = [other for other in loops if other is not loop and loop.body < other.body]
        parent = min(around, key=lambda other: len(other.body))
        parent.children.append(loop)
    loop_of = [min((loop for loop in loops if place in loop.body), key=lambda loop: len(loop.body)) for place in places]
    for place, loop in zip(places, loop_of, strict=True):
        loop.path.append(kernel.code[place])
    for loop in loops:
        # A loop that the usual path does not run through is left out.
        loop.children = sorted((child for child in loop.children if child.path), key=lambda child: visited.get(child.header, 0))
    count_waits([kernel.code[place] for place in places], loop_of)
    return whole
