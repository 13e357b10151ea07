#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "data/corpus/corpus_readers.hpp"
#include "data/corpus/read_report.hpp"
#include "data/corpus/training_corpus.hpp"

namespace gausscse {

/// Training files of which `data.dev_fraction` holds some premises out, with the options of the training's reader.
struct HeldOutFiles {
  std::vector<std::filesystem::path> files;
  CorpusOptions corpus;
};

/// Counts of the pairs held out of training files, and of all pairs in them. A row is a pair of an NLI corpus or a row
/// of a file of triples.
struct HeldOutCounts {
  std::size_t rows = 0, all_rows = 0;
  std::size_t premises = 0, all_premises = 0;
};

/// Gives `sink` the pairs of the held-out premises, in the order of the files. Adds to the pairs and labels of
/// `report`, which then has no bad lines: the training's reader reports them. NLI corpora give their pairs as they are,
/// with the value of `group_key` (see ReadOptions). Triples give the pair of premise and entailed hypothesis, and that
/// of premise and contradicted hypothesis, each distinct pair once. Memory holds the held-out pairs of triples and 8
/// bytes for a row at most. Throws InputError as the training's reader does, where none or all of the premises are held
/// out, and where a group key is given for triples.
HeldOutCounts for_each_held_out_pair(const HeldOutFiles& held_out, const std::string& group_key, ReadReport& report,
                                     const NliPairSink& sink);

}  // namespace gausscse
