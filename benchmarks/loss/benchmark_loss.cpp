// Time and memory of the contrastive loss, forward and backward, in float32: one JSON line.
//   benchmark_loss [--n 512] [--d 384] [--threads 0] [--repeats 5] [--loss ent+con+rev] [--similarity per_dimension]

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randn.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>

#include "base/error.hpp"
#include "model/objective/configured_objective.hpp"

namespace {

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options{{"--n", "512"},
                                             {"--d", "384"},
                                             {"--threads", "0"},
                                             {"--repeats", "5"},
                                             {"--loss", "ent+con+rev"},
                                             {"--similarity", "per_dimension"}};
  for (int i = 1; i < argc; ++i) {
    if (!options.count(argv[i]) || i + 1 == argc) {
      std::fprintf(stderr, "benchmark_loss: unknown option or missing value: %s\n", argv[i]);
      return 2;
    }
    options[argv[i]] = argv[i + 1];
    ++i;
  }
  const long n = std::stol(options["--n"]), d = std::stol(options["--d"]);
  if (std::stoi(options["--threads"]) > 0) at::set_num_threads(std::stoi(options["--threads"]));
  const gausscse::ConfiguredObjective objective(
      {.loss = gausscse::parse_choice<gausscse::Loss>("--loss", options["--loss"]),
       .similarity = gausscse::parse_choice<gausscse::Similarity>("--similarity", options["--similarity"])});
  at::Tensor embeddings = at::randn({3, n, 2 * d}, at::kFloat);
  embeddings.narrow(2, 0, d).tanh_();
  embeddings.narrow(2, d, d).mul_(0.3);
  at::Tensor gradient = at::empty({3, n, 2 * d}, at::kFloat);
  gradient.zero_();

  const double before = peak_megabytes();
  double best = 1e30, loss = 0;
  for (int repeat = 0; repeat < std::stoi(options["--repeats"]); ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    loss = objective.evaluate({embeddings}, {0, n}, {gradient}).item<double>();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::printf("{\"n\": %ld, \"d\": %ld, \"threads\": %d, \"loss\": %.6f, \"seconds\": %.6f, \"extra_mb\": %.1f}\n", n,
              d, at::get_num_threads(), loss, best, peak_megabytes() - before);
  return 0;
}
