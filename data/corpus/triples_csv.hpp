#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "data/corpus/byte_source.hpp"
#include "data/corpus/read_report.hpp"

namespace gausscse {

/// One row of a triples CSV, each text well-formed UTF-8 and not only white space.
struct TripleTexts {
  std::string premise;
  std::string entailment;
  std::string contradiction;
};

using TripleSink = std::function<void(TripleTexts&&)>;

/// Reads a triples CSV (RFC 4180, as CsvReader; header sent0,sent1,hard_neg) and gives `sink` each row in order; adds
/// to `report`. Texts are as in the file, or trimmed if `trim` is set. Blank lines are left out. Throws InputError if
/// the file is missing, a folder, empty, has another header, a quote that is not closed or followed by text, or no
/// usable row; on a bad row (not three fields, invalid UTF-8, a sentence of nothing but white space) as `bad_lines`
/// says.
void for_each_triple(const std::filesystem::path& path, BadLines bad_lines, bool trim, ReadReport& report,
                     const TripleSink& sink);

/// The same from any source; `name` stands for the path in messages.
void for_each_triple(ByteSource& source, const std::string& name, BadLines bad_lines, bool trim, ReadReport& report,
                     const TripleSink& sink);

}  // namespace gausscse
