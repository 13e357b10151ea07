#include "launcher/end_process.hpp"
#include "launcher/program.hpp"

/// What `start_program` calls.
extern "C" int gausscse_program(int argc, char** argv) {
  gausscse::end_process(gausscse::run_program(argc, argv));
}
