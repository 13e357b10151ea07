#pragma once

namespace gausscse {

/// Loads the shared object `program`, which has the program with LibTorch, calls its function
///
///     extern "C" int gausscse_program(const char* build, int argc, char** argv)
///
/// and returns its result. `build` is the version and commit of a program that must be of the same, or null. Where the
/// object or a library that it needs is missing, such as NCCL's, throws SystemError with the system's reason and then
/// `remedy`. The system's loader would end the process with its own words. `program` is looked for as any shared object
/// of the executable is.
int start_program(const char* program, const char* build, const char* remedy, int argc, char** argv);

}  // namespace gausscse
