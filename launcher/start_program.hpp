#pragma once

namespace gausscse {

/// Loads the shared object `program`, which has the program of a build for GPUs, calls its function
///
///     extern "C" int gausscse_program(int argc, char** argv)
///
/// and returns its result. Where a library that the object needs is missing, such as NCCL's, it prints that on standard
/// error with the remedy, and returns 1. The system's loader would end the process with its own words. `program` is
/// looked for as any shared object of the executable is.
int start_program(const char* program, int argc, char** argv);

}  // namespace gausscse
