#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "data/corpus/nli_pair.hpp"

namespace gausscse {

/// Part of a corpus that a premise belongs to: decided by a hash of its text, so that no two parts share one.
enum class CorpusPart { train, dev, test };

struct GeneratorOptions {
  std::uint64_t pairs = 0;  ///< at most `max_generated_pairs`
  std::uint64_t seed = 0;
  CorpusPart part = CorpusPart::train;
};

inline constexpr std::uint64_t max_generated_pairs = 10'000'000;

/// A generated pair and its names in SNLI's manner.
struct GeneratedPair {
  NliPair pair;
  std::string caption_id;
  std::string pair_id;
};

using GeneratedPairSink = std::function<void(const GeneratedPair&)>;

/// Writes English NLI pairs about everyday scenes from a grammar and gives them to `sink` one by one, three a premise:
/// entailed, neutral, contradicted, in an order that changes. The same options give the same pairs, and fewer pairs the
/// first of them; memory does not grow with their number. Throws InputError on over `max_generated_pairs`, before any.
void generate_nli_pairs(const GeneratorOptions& options, const GeneratedPairSink& sink);

/// Returns the pair as a line of SNLI's jsonl, with its end: gold_label, sentence1, sentence2, pairID, captionID,
/// annotator_labels.
std::string snli_json_line(const GeneratedPair& pair);

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
