#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

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

}  // namespace gausscse
