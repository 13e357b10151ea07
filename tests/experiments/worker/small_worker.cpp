#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "experiments/status/study_progress.hpp"
#include "experiments/worker/run_study.hpp"

// `gausscse run` without the rest of the program, which takes long to load: MANIFEST RESULTS PROGRAM LEASE [retry].

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) return 2;
  try {
    const gausscse::StopSignals stop;
    const auto print = [](const char* begin) {
      return [begin](const std::string& text) { std::fprintf(stderr, "%s%s\n", begin, text.c_str()); };
    };
    gausscse::StudyProgress lines(false, {.log = print(""), .warn = print("warning: "), .draw = {}, .size = {}});
    const gausscse::StudyRunOptions options{.manifest = argv[1],
                                            .results = argv[2],
                                            .retry_failed = argc == 6,
                                            .machine_failures = 1000,
                                            .lease = std::atof(argv[4]),
                                            .train_program = argv[3]};
    return run_study(options, stop, lines);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gausscse: error: %s\n", error.what());
    return 2;
  }
}
