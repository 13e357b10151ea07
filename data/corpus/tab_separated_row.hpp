#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "data/corpus/corpus_format.hpp"
#include "data/corpus/nli_pair.hpp"
#include "data/corpus/read_options.hpp"

namespace gausscse {

/// Reads the rows under one header of a tab-separated corpus: SNLI's and MNLI's txt, SICK's two layouts. There is no
/// quoting in them: a quote is part of the sentence.
class TabSeparatedRows {
 public:
  /// `header` is the line that `recognise_format` told `format` from. Throws InputError, without the place, if it names
  /// a needed column twice, or has no column `options.group_key` (empty: none is needed).
  TabSeparatedRows(std::string_view header, CorpusFormat format, const ReadOptions& options);

  /// The pair of one row; nothing if it belongs to another SemEval_set. Throws InputError, without the place, on too
  /// few or too many fields, invalid UTF-8, an unknown label, or a sentence that holds nothing but white space.
  std::optional<NliPair> parse(std::string_view line) const;

 private:
  std::size_t column(std::string_view name) const;

  CorpusFormat format_;
  ReadOptions options_;
  std::vector<std::string> header_;
  std::size_t label_ = 0;
  std::size_t premise_ = 0;
  std::size_t hypothesis_ = 0;
  std::size_t entailment_ab_ = 0;
  std::size_t entailment_ba_ = 0;
  std::size_t semeval_set_ = 0;
  std::optional<std::size_t> group_;
  std::size_t needed_fields_ = 0;
};

}  // namespace gausscse
