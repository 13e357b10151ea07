#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gausscse {

/// The layouts that are read.
enum class CorpusFormat {
  nli_jsonl,     ///< SNLI, MNLI: a JSON object a line
  nli_txt,       ///< SNLI, MNLI, GLUE: tab-separated, header with gold_label (or label), sentence1, sentence2
  sick_full,     ///< SICK's full release: tab-separated, header with entailment_label, entailment_AB, entailment_BA
  sick_semeval,  ///< SICK as in SemEval 2014: tab-separated, header with entailment_judgment
  triples_csv,   ///< sent0,sent1,hard_neg
};

/// Tells the layout by the first line that is not blank, whatever the file's name. Throws InputError if it is none of
/// them, naming the file's kind (base/file_kind.hpp), or the line and the layout it comes nearest to.
CorpusFormat recognise_format(std::string_view first_line, const std::string& path, std::size_t line_number);

/// The same for a file; InputError too if it is missing, a folder, or empty.
CorpusFormat detect_format(const std::filesystem::path& path);

/// The parts of `line` between tabs; at most `max_parts`, the last with the rest of the line.
std::vector<std::string_view> split_at_tabs(std::string_view line, std::size_t max_parts);

}  // namespace gausscse
