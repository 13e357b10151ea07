#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/trial/trial.hpp"
#include "data/corpus/corpus_layout.hpp"
#include "data/corpus/nli_pair.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// File of the pairs of an NLI task, and the way in which they were read.
struct NliSource {
  std::filesystem::path file;  ///< empty: the pairs were held out of the training files
  std::string hash;            ///< hash of its bytes when it was measured; empty: not known
  std::string sick_set;
  bool skip_bad_lines = false;
  bool trim = false;
  CorpusLayout layout = {};
  auto operator<=>(const NliSource&) const = default;  // NOLINT(modernize-use-nullptr): the compiler writes a 0
};

/// Returns the source of a task of a trial; nothing where it is no NLI task.
std::optional<NliSource> nli_source_of(const Trial& trial, const std::string& task, const Provenance& provenance);

/// Statistics of the pairs of a source.
struct NliTexts {
  std::string problem;  ///< why nothing is known: a sentence without its full stop; else empty
  std::size_t pairs = 0;
  std::vector<double> length_ratios;      ///< ln(characters of the premise / characters of the hypothesis)
  std::map<std::size_t, NliPair> chosen;  ///< by number
};

/// Reads a source, if its file is there and has the bytes that were measured. Throws nothing of what a file can be.
NliTexts read_nli_texts(const NliSource& source, const std::set<std::size_t>& chosen);

}  // namespace gausscse
