#pragma once

#include <cstdint>
#include <filesystem>

namespace gausscse {

inline constexpr std::uint64_t max_generated_pairs = 10'000'000;

/// Numbers of pairs that each file gets, at most `max_generated_pairs`.
struct GeneratedCorpusOptions {
  std::uint64_t train_pairs = 0;
  std::uint64_t dev_pairs = 0;
  std::uint64_t test_pairs = 0;
  std::uint64_t seed = 0;
};

/// Writes a corpus of English NLI pairs about everyday scenes into a new folder: train.jsonl, dev.jsonl and test.jsonl
/// in SNLI's layout; a file of 0 pairs is left out. Each premise has three pairs: entailed, neutral, contradicted, in
/// an order that changes. No two files share a premise, as a hash of its text decides which it belongs to. The same
/// seed gives the same pairs, and fewer pairs are the first of more. The folder appears whole or not at all. Throws
/// InputError if it holds anything already, its parent is missing, a number is too large or all are 0; WriteError where
/// it cannot be written.
void write_generated_corpus(const std::filesystem::path& folder, const GeneratedCorpusOptions& options);

}  // namespace gausscse
