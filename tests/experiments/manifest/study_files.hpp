#pragma once

#include "experiments/manifest/plan.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

/// Every file that the trials of `study_manifest` read: nothing in them is looked at, but by their hashes.
inline void write_study_files(const std::filesystem::path& folder) {
  for (const char* model : {"small", "large"}) {
    write_text(folder / model / "config.json", std::string("{\"name\": \"") + model + "\"}");
    write_text(folder / model / "model.safetensors", std::string("weights of ") + model);
    write_text(folder / model / "vocab.txt", "a\nb\n");
  }
  for (const char* file : {"train.jsonl", "dev.jsonl", "test.jsonl"}) write_text(folder / file, file);
}

/// A study of two stages: two backbones, a grid of two batch sizes and two rates, then two losses with two seeds.
inline const std::string study_manifest = R"(format: gausscse-manifest/1
name: sample
defaults:
  data: {train: train.jsonl}
  tasks:
    dev: {kind: nli, files: dev.jsonl, eval_every: 10}
    test: {kind: nli, files: test.jsonl, threshold: dev}
  select: {task: dev, figure: auprc}
axes:
  backbone:
    small: {model.backbone.path: small}
    large: {model: {backbone: {path: large}}}
stages:
  choose:
    grid:
      backbone: all
      training.batch_size: [16, 32]
      training.learning_rate: [1e-5, 3.0e-5]
  final:
    best_of: {stage: choose, figure: dev.auprc, within: backbone}
    grid:
      backbone: [large, small]
      objective.loss: [ent, ent+con]
    seeds: [3, 5]
tables:
  nli: {rows: [backbone, objective.loss], figures: [test.accuracy]}
)";

inline Manifest parse_study(const std::string& text, const std::filesystem::path& folder) {
  return parse_manifest(text, "study.yaml", folder);
}

/// Returns trials of which nothing is done yet.
inline EarlierTrials nothing_done() {
  return {[](const PlannedTrial&, const std::string&) { return std::nullopt; },
          [](const PlannedTrial&) { return false; }};
}

/// Returns `text` with `from`, which must be in it, replaced by `to`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

}  // namespace gausscse
