#pragma once

namespace gausscse {

/// Arguments of the program, as `main` has them.
struct CommandLine {
  int count = 0;
  char** arguments = nullptr;
};

/// Has the program with LibTorch run this command line, and ends the process with its exit code. Does nothing in that
/// program. Call it before anything is printed, read from standard input or asked of MPI:
///
///     gausscse train -> parse the command line -> continue_with_libtorch -> load libgausscse_program.so, whose
///                                                                           run_program begins again
///
/// Throws SystemError where the system does not load it.
void continue_with_libtorch(const CommandLine& line);

}  // namespace gausscse
