#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <numbers>
#include <random>
#include <vector>

#include "config/trial/trial.hpp"
#include "results/run_result.hpp"
#include "tests/experiments/report/made_up_study.hpp"

namespace gausscse {

/// Noise with the same numbers with every library: the standard fixes its engines, but not its distributions.
class Noise {
 public:
  explicit Noise(std::uint32_t seed) : engine_(seed) {}
  double uniform() { return (static_cast<double>(engine_()) + 0.5) / 4294967296.0; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937 engine_;
};

/// Quality of a trial: over 0.
struct Quality {
  double separation;
  bool gaussian;
};

/// Gold labels of a made-up NLI set: entailments, others, and some pairs without one.
std::vector<std::uint8_t> made_up_labels(std::int64_t pairs);

/// Returns a result that a training of this trial might leave.
RunResult made_up_result(const Trial& trial, const Quality& quality, const MadeUpStudy& study,
                         const std::filesystem::path& folder, Noise& noise);

}  // namespace gausscse
