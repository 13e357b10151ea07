#include "tests/experiments/simulation/simulated_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns a number from the environment.
std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Each failure names the seed and the command that runs it again.
TEST(Simulation, KeepsThePromisesOfTheProtocol) {
  const std::uint64_t first = number_from("GAUSSCSE_FIRST_SEED", 0), count = number_from("GAUSSCSE_SEEDS", 8'000);
  const bool is_traced = std::getenv("GAUSSCSE_TRACE") != nullptr;
  int failures = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < 5; ++seed) {
    const std::string failure = SimulatedStudy(seed, is_traced).run();
    if (failure.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ": " << failure
                  << "\n  GAUSSCSE_TRACE=1 GAUSSCSE_SEEDS=1 GAUSSCSE_FIRST_SEED=" << seed
                  << " build/cpu/tests/experiments/simulation/simulation_test";
  }
}

}  // namespace
}  // namespace gausscse
