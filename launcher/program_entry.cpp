#include <cstdio>

#include "launcher/program.hpp"
#include "launcher/run_command.hpp"
#include "launcher/version.hpp"

/// Runs the program with LibTorch; `start_program` calls it.
extern "C" int gausscse_program(const char* build, int argc, char** argv) {
  using namespace gausscse;
  if (build && build != version_and_commit()) {
    std::fprintf(
        stderr,
        "gausscse: error: gausscse is %s, and its libgausscse_program.so is of another build, %s: install both "
        "together\n",
        build, version_and_commit().c_str());
    return 1;
  }
  end_process(run_program(argc, argv));
}
