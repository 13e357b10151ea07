#include "data/sts/scored_pairs.hpp"

#include <string_view>

#include "base/error.hpp"
#include "data/corpus/line_reader.hpp"
#include "data/corpus/row_source.hpp"
#include "data/corpus/sentence.hpp"
#include "data/sts/sts_fields.hpp"

namespace gausscse {

namespace {

std::vector<std::string> lines_of(ByteSource& source, const std::string& name) {
  LineReader reader(source, name);
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

/// Returns a pair of two sentences with a tab between them, and their score.
StsPair checked_pair(std::string_view text, double score) {
  const std::vector<std::string_view> fields = split_at_tabs(text, 3);
  if (fields.size() != 2) throw InputError(concat(quoted(text), " is not two sentences with one tab between them"));
  return {std::string(checked_sentence(fields[0], "the first", false)),
          std::string(checked_sentence(fields[1], "the second", false)), score};
}

}  // namespace

std::vector<StsPair> read_scored_pairs(ByteSource& input, const std::string& input_name, ByteSource& scores,
                                       const std::string& scores_name, BadLines bad_lines, ReadReport& report) {
  const std::vector<std::string> texts = lines_of(input, input_name), numbers = lines_of(scores, scores_name);
  if (texts.size() != numbers.size())
    throw InputError(concat(scores_name, ": has ", numbers.size(), " lines, but ", input_name, " has ", texts.size(),
                            ": one of them is cut short"));
  LineTally score_lines(scores_name, bad_lines, report), text_lines(input_name, bad_lines, report);
  std::vector<StsPair> pairs;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (numbers[i].empty()) continue;
    double score = 0;
    if (!score_lines.read(i + 1, [&] { score = checked_score(numbers[i]); })) continue;
    text_lines.read(i + 1, [&] { pairs.push_back(checked_pair(texts[i], score)); });
  }
  score_lines.finish("score");
  text_lines.finish("pair");
  report.pairs += pairs.size();
  return pairs;
}

}  // namespace gausscse
