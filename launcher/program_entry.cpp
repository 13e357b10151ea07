#include "launcher/program.hpp"
#include "launcher/run_command.hpp"

/// Runs the program with LibTorch; `start_program` calls it.
extern "C" int gausscse_program(int argc, char** argv) {
  gausscse::end_process(gausscse::run_program(argc, argv));
}
