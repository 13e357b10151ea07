#pragma once

namespace gausscse {

/// The whole program: what `main` is given, and its exit code.
int run_program(int argc, char** argv);

}  // namespace gausscse
