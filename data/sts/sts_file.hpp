#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus/byte_source.hpp"
#include "data/corpus/read_report.hpp"
#include "data/sts/sts_pair.hpp"

namespace gausscse {

/// Layout of a file of pairs of sentences with scores: where its rows have what. Columns count from 0.
struct StsLayout {
  enum class Kind {
    benchmark,  ///< STS benchmark as distributed, without a header: genre, file, year, number, score, two sentences
    named,      ///< a header with sentence1, sentence2, and score or similarity_score: GLUE's STS-B and others
    sick,       ///< a header with sentence_A, sentence_B and relatedness_score
    triple,     ///< without a header: two sentences and a score
  };

  Kind kind = Kind::benchmark;
  bool commas = false;      ///< whether fields are separated as in CsvReader; else by tabs, without quoting
  std::size_t columns = 0;  ///< of the first line
  std::size_t first = 0;    ///< column of the first sentence
  std::size_t second = 0;   ///< column of the second sentence
  std::size_t score = 0;    ///< column of the score
  std::optional<std::size_t> part = {};  ///< column of the set that a row belongs to: SemEval_set of SICK, split

  bool has_header() const { return kind == Kind::named || kind == Kind::sick; }
};

/// Tells the layout by the first line that is not blank. Throws InputError for a source that is empty or of another
/// kind, and with the line for a header without a column that is needed or twice with one. `name` is the file's.
StsLayout recognise_sts_layout(ByteSource& source, const std::string& name);

/// The same, with nothing where it throws InputError: the source is something else, perhaps plain text.
std::optional<StsLayout> find_sts_layout(ByteSource& source, const std::string& name);

/// The pairs of `source`, which begins with the line that told `layout`, in their order. Sentences are as they stand
/// there; blank lines are left out. Of SICK's full release the rows of SemEval_set TEST are read; rows of a file with a
/// column `split` must all be of one. Throws InputError where no pair is left; on a bad line as `bad_lines` says: too
/// few fields, or too many under a header of names, a score that is no number from 0 to 5, text that is not UTF-8, a
/// sentence of nothing but white space. Adds to `report`.
std::vector<StsPair> read_sts_pairs(ByteSource& source, const std::string& name, const StsLayout& layout,
                                    BadLines bad_lines, ReadReport& report);

/// Both for a file. Throws InputError as they do, and for a file that cannot be read.
std::vector<StsPair> read_sts_file(const std::filesystem::path& path, BadLines bad_lines, ReadReport& report);

}  // namespace gausscse
