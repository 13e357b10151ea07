#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "data/corpus/byte_source.hpp"
#include "data/corpus/read_report.hpp"

namespace gausscse {

/// One triple, each text well-formed UTF-8 and not only white space.
struct TripleTexts {
  std::string premise;
  std::string entailment;
  std::string contradiction;
};

using TripleSink = std::function<void(TripleTexts&&)>;

/// Reads triples, whose columns are sent0, sent1 and hard_neg in any order, from CSV, a tab-separated file or a JSON
/// object a line (see RowSource), gives `sink` each row in order, and adds to `report`. Texts are as in the file, or
/// trimmed if `trim` is set. Throws InputError if the file cannot be read, lacks a column, or has no usable row; on a
/// bad row (another number of fields, invalid UTF-8, a sentence of nothing but white space) as `bad_lines` says.
void for_each_triple(const std::filesystem::path& path, BadLines bad_lines, bool trim, ReadReport& report,
                     const TripleSink& sink);

/// Does the same from any source; `name` is shown as the path in messages.
void for_each_triple(ByteSource& source, const std::string& name, BadLines bad_lines, bool trim, ReadReport& report,
                     const TripleSink& sink);

}  // namespace gausscse
