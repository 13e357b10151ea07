"""Test programs, as the files tests/**/CMakeLists.txt list them."""

import dataclasses
import pathlib
import re

CALL = re.compile(r"(gausscse_mpi_test|gausscse_program_test|gausscse_test|add_executable)\(\s*(\w+)([^)]*)")


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    folder: str  # below tests, such as model/encoder
    runs_ranks: bool  # under mpiexec
    runs_all: bool  # runs the whole product, as a user does
    is_test: bool  # one of ctest's tests that the preset cpu does not skip; not a helper of one


def read_programs(root: pathlib.Path) -> dict[str, Program]:
    programs = {}
    for path in sorted((root / "tests").rglob("CMakeLists.txt")):
        folder = path.parent.relative_to(root / "tests").as_posix()
        text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
        for function, name, rest in CALL.findall(text):
            programs[name] = Program(
                name=name,
                folder=folder,
                runs_ranks=function == "gausscse_mpi_test",
                runs_all=function == "gausscse_program_test" or "LABEL program" in rest,
                is_test=function != "add_executable" and not re.search(r"LABEL gpu\b", rest),
            )
    return programs


def tests_of(programs: list[str] | tuple[str, ...]) -> str:
    """Returns a regular expression of ctest's names of these programs' tests."""
    return rf"^({'|'.join(programs)})(\.|$)"


def mirrored_programs(programs: dict[str, Program], file: str) -> list[str]:
    """Returns the test programs of the folder below tests that mirrors a product file's, or of the next one above it."""
    for folder in pathlib.PurePosixPath(file).parents:
        if names := [name for name, program in programs.items() if program.is_test and program.folder == str(folder)]:
            return names
    return []
