#pragma once

namespace gausscse {

/// Runs the whole program with the arguments of `main`, and returns its exit code.
int run_program(int argc, char** argv);

}  // namespace gausscse
