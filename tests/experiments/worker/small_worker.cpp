#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "experiments/worker/run_study.hpp"

// `gausscse run` without the rest of the program, which takes long to load: MANIFEST RESULTS PROGRAM LEASE [retry].

namespace {

class Lines : public gausscse::WorkerObserver {
 public:
  void on_note(const std::string& text) override { std::fprintf(stderr, "%s\n", text.c_str()); }
  void on_warning(const std::string& text) override { std::fprintf(stderr, "warning: %s\n", text.c_str()); }
  void on_progress(const gausscse::WorkerProgress&) override {}
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) return 2;
  try {
    const gausscse::StopSignals stop;
    Lines lines;
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
