#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpus/corpus_layout.hpp"
#include "data/corpus/read_report.hpp"
#include "data/corpus/text_readers.hpp"

namespace gausscse {

/// Two sentences and how similar people find them: 0 (nothing in common) to 5 (the same meaning).
struct StsPair {
  std::string first, second;
  double score = 0;
};

// Readers of parts of lines of STS files. The functions throw InputError without the place in the file.

/// Returns nothing where `text` is no finite number.
std::optional<double> parse_number(std::string_view text);

/// Returns the score that `text` is, but for white space at its ends. Throws InputError for a text that is no number,
/// and FileFault for one that is not from 0 to 5: then the file has another scale.
double checked_score(std::string_view text);

/// Layout of a file of pairs of sentences with scores, as CSV, tab-separated or a JSON object a line (see RowSource).
enum class StsLayout {
  benchmark,  ///< STS benchmark as distributed, with tabs, without a header: genre, file, year, number, score,
              ///< sentences
  named,      ///< with the columns sentence1, sentence2, and score or similarity_score: GLUE's STS-B and others; or
              ///< with a user's names
  sick,       ///< with the columns sentence_A, sentence_B and relatedness_score
  triple,     ///< without a header: two sentences and a score
};

/// Returns the layout of `source`, whose file is called `name`; nothing where it is something else that RowSource can
/// or cannot read, perhaps plain text.
std::optional<StsLayout> find_sts_layout(ByteSource& source, const std::string& name, const CorpusLayout& names = {});

/// Returns the pairs of `source` in their order. The columns premise, hypothesis and score of `names` come before the
/// known ones. Sentences are as they stand there. In SICK's full release the rows of SemEval_set TEST are read; rows of
/// a file with a column `split` must all be of one. Throws InputError for a file of no layout or without a column that
/// is needed, where no pair is left, and for a score that is not from 0 to 5. On a bad line it acts as `bad_lines`
/// says. Bad are another number of fields, a score that is no number, text that is not UTF-8, and a sentence of nothing
/// but white space. Adds to `report`.
std::vector<StsPair> read_sts_pairs(ByteSource& source, const std::string& name, BadLines bad_lines, ReadReport& report,
                                    const CorpusLayout& names = {});

/// Returns the pairs of a file. Throws InputError for a file that cannot be read as well.
std::vector<StsPair> read_sts_file(const std::filesystem::path& path, BadLines bad_lines, ReadReport& report,
                                   const CorpusLayout& names = {});

}  // namespace gausscse
