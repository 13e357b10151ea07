#pragma once

#include <cstdint>
#include <filesystem>

namespace gausscse {

/// Numbers of pairs that each file gets, at most `max_generated_pairs`.
struct GeneratedCorpusOptions {
  std::uint64_t train_pairs = 0;
  std::uint64_t dev_pairs = 0;
  std::uint64_t test_pairs = 0;
  std::uint64_t seed = 0;
};

/// Writes a generated corpus into a new folder: train.jsonl, dev.jsonl and test.jsonl in SNLI's layout, no two of which
/// share a premise; a file of 0 pairs is left out. The folder appears whole or not at all. Throws InputError if it
/// holds anything already, its parent is missing, a number is too large or all are 0; WriteError where it cannot be
/// written.
void write_generated_corpus(const std::filesystem::path& folder, const GeneratedCorpusOptions& options);

}  // namespace gausscse
