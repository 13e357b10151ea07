#include "tests/results/sample_result.hpp"

#include <cmath>

namespace gausscse {

namespace {

std::vector<Metric> nli_metrics(double pairs, double accuracy, double auprc, double direction_sim) {
  return {{"pairs", pairs, Unit::count},
          {"accuracy", accuracy},
          {"threshold", 0.613, Unit::number},
          {"auprc", auprc},
          {"directed_pairs", 2, Unit::count},
          {"direction_sim", direction_sim},
          {"direction_var", 1.0},
          {"direction_length", 0.9264}};
}

}  // namespace

RunResult sample_result() {
  const Measurement dev{"dev", "nli", true, nli_metrics(4, 0.75, 0.55125, 0.5), {}, ""};
  const Measurement snli{
      "snli",
      "nli",
      false,
      nli_metrics(2, 1.0 / 3, 0.5, std::nan("")),
      {{"sim_hypothesis_premise", std::vector<float>{0.25f, 0.5f}}, {"label", std::vector<std::uint8_t>{0, 3}}},
      ""};
  const Measurement mnli{"mnli", "nli", false, nli_metrics(4, 0.75, 0.75, 0.5), {}, ""};
  const Measurement sts{"sts12", "sts",
                        false,   {{"spearman", 0.6119}, {"spearman.MSRpar", 0.5}, {"missing_subsets", 1, Unit::count}},
                        {},      "partial, without MSRvid"};
  RunResult result;
  result.configuration = "format: gausscse-trial/2\noutput: \"/caf\u00e9\"\n";
  result.provenance = {.version = "0.1.0",
                       .commit = "0123abc",
                       .libraries = {{"HDF5", "1.10.8"}, {"LibTorch", "2.11.0"}},
                       .hosts = {"one", "two", "one"},
                       .devices = {"cpu", "NVIDIA H200 (compute capability 9.0)", "cpu"},
                       .instruction_sets = {"avx512", "avx2", "avx512"},
                       .bfloat16_instructions = {"amx", "none", "amx"},
                       .ranks = 3,
                       .threads = 2,
                       .data_hashes = {{"/data/train.jsonl", "00112233445566778899aabbccddeeff"}},
                       .input_hashes = {{"data.train/1", "00112233445566778899aabbccddeeff"},
                                        {"model.backbone/config.json", "ffeeddccbbaa99887766554433221100"}}};
  result.training = {.step = {1, 2},
                     .loss = {4.5, 4.25},
                     .learning_rate = {1e-5, 2e-5},
                     .gradient_norm = {10.0, 9.0},
                     .examples_per_second = {100.0, 101.0},
                     .tokens_per_second = {4000.0, 4001.0},
                     .left_out_pairs = {12, 0}};
  result.curves = {{"dev",
                    {0, 2},
                    {{"pairs", Unit::count, {4, 4}},
                     {"auprc", Unit::fraction, {0.6, 0.55125}},
                     {"threshold", Unit::number, {0.5, 0.613}}}},
                   {"tokens", {0, 1, 2}, {{"norm", Unit::number, {7, 8, 9}}, {"norm.1", Unit::number, {1, 2, 3}}}}};
  result.states = {{.state = "best", .step = 2, .tasks = {dev, snli, mnli, sts}},
                   {.state = "last", .step = 3, .tasks = {snli}}};
  return result;
}

ContinuedRun sample_continued() {
  return {.folder = "/runs/first",
          .run = "0f1e",
          .checkpoint = "2d3c",
          .step = 20,
          .changes = {"training.max_steps: 20, now 40", "tasks: changed"}};
}

Measurement sample_geometry() {
  return {"tokens",
          "geometry",
          true,
          {{"anisotropy", 0.25, Unit::number}, {"rogue.reaching.0.1", 1, Unit::count}},
          {{"token", std::vector<std::string>{"[CLS]", "caf\u00e9"}},
           {"occurrences", std::vector<std::int64_t>{std::int64_t{1} << 40, 5}},
           {"self_similarity", std::vector<double>{0.1, -1.0 / 3}},
           {"rogue_dimension", std::vector<std::int64_t>{1, 0}},
           {"rogue_share", std::vector<double>{0.75, 0.25}},
           {"sentence_vector", VectorRows{2, {1, -2, 3.5f, 4, 5, 6}}}},
          ""};
}

}  // namespace gausscse
