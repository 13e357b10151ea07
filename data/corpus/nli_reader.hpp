#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "data/corpus/byte_source.hpp"
#include "data/corpus/nli_pair.hpp"
#include "data/corpus/read_options.hpp"
#include "data/corpus/read_report.hpp"

namespace gausscse {

using NliPairSink = std::function<void(NliPair&&)>;

/// Reads an NLI corpus: SNLI's, MNLI's, GLUE's, or SICK's full release or SemEval files, told apart by their columns
/// (see CorpusFormat), each as a JSON object a line, tab-separated or CSV (see RowSource). In SICK, sentence_A is the
/// premise. Gives `sink` each pair in the file's order, those without gold label too, and adds to `report`. Throws
/// InputError if the file cannot be read, lacks a column, or has no usable pair; on a bad line (another number of
/// fields, invalid UTF-8, an unknown label, a sentence of nothing but white space) as options.bad_lines says.
void for_each_nli_pair(const std::filesystem::path& path, const ReadOptions& options, ReadReport& report,
                       const NliPairSink& sink);

/// The same from any source; `name` stands for the path in messages.
void for_each_nli_pair(ByteSource& source, const std::string& name, const ReadOptions& options, ReadReport& report,
                       const NliPairSink& sink);

}  // namespace gausscse
