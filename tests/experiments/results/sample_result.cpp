#include "tests/experiments/results/sample_result.hpp"

#include <cmath>

namespace gausscse::testing_support {

RunResult sample_result() {
  const NliMetrics dev{.pairs = 4,
                       .accuracy = 0.75,
                       .threshold = 0.613,
                       .auprc = 0.55125,
                       .directed_pairs = 2,
                       .direction_sim = 0.5,
                       .direction_var = 1.0,
                       .direction_length = 0.9264};
  NliMetrics test = dev;
  test.pairs = 2;
  test.accuracy = 1.0 / 3;
  test.direction_sim = std::nan("");
  const NliScores scores{.sim_hypothesis_premise = {0.25f, 0.5f},
                         .sim_premise_hypothesis = {0.125f, 0.75f},
                         .log_std_premise = {-3.5f, 4.25f},
                         .log_std_hypothesis = {-7.0f, 1.0f},
                         .label = {0, 3},
                         .entails_both_ways = {1, 0}};
  RunResult result;
  result.configuration = "format: gausscse-trial/1\noutput: \"/caf\u00e9\"\n";
  result.provenance = {.version = "0.1.0",
                       .commit = "0123abc",
                       .libraries = {{"HDF5", "1.10.8"}, {"LibTorch", "2.11.0"}},
                       .hosts = {"one", "two", "one"},
                       .instruction_sets = {"avx512", "avx2", "avx512"},
                       .bfloat16_instructions = {"amx", "none", "amx"},
                       .ranks = 3,
                       .threads = 2,
                       .data_hashes = {{"/data/train.jsonl", "00112233445566778899aabbccddeeff"}}};
  result.training = {.step = {1, 2},
                     .loss = {4.5, 4.25},
                     .learning_rate = {1e-5, 2e-5},
                     .gradient_norm = {10.0, 9.0},
                     .triples_per_second = {100.0, 101.0},
                     .tokens_per_second = {4000.0, 4001.0}};
  result.dev = {.step = {0, 2},
                .auprc = {0.6, 0.55125},
                .accuracy = {0.7, 0.75},
                .direction_sim = {0.51, 0.5},
                .direction_var = {0.52, 1.0}};
  result.states = {{.state = "last", .step = 2, .dev = dev, .tests = {{"snli", test, scores}, {"mnli", dev, {}}}},
                   {.state = "best", .step = 0, .dev = test, .tests = {{"snli", dev, scores}}}};
  return result;
}

}  // namespace gausscse::testing_support
