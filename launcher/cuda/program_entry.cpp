#include "launcher/program.hpp"

/// What `start_program` calls.
extern "C" int gausscse_program(int argc, char** argv) {
  return gausscse::run_program(argc, argv);
}
