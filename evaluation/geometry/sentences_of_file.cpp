#include "evaluation/geometry/sentences_of_file.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "data/corpus/sentence.hpp"
#include "data/corpus/text_readers.hpp"
#include "data/source/text_source.hpp"
#include "data/sts/sts_file.hpp"

namespace gausscse {

namespace {

/// Returns whether the file is that of the STS benchmark, with a header or without.
bool is_benchmark(const std::filesystem::path& file) {
  TextSource source(file);
  const std::optional<StsLayout> layout = find_sts_layout(source, file.string());
  return layout == StsLayout::benchmark || layout == StsLayout::named;
}

}  // namespace

std::vector<std::string> read_sentences(const std::filesystem::path& file, BadLines bad_lines, ReadReport& report) {
  std::vector<std::string> sentences;
  const bool benchmark = is_benchmark(file);
  TextSource source(file);
  if (benchmark) {
    for (StsPair& pair : read_sts_pairs(source, file.string(), bad_lines, report))
      sentences.push_back(std::move(pair.first));
    return sentences;
  }
  LineReader lines(source, file.string());
  LineTally tally(file.string(), bad_lines, report);
  for (std::string_view line; lines.next(line);)
    if (tally.read(lines.line_number(), [&] { check_utf8(line); })) sentences.emplace_back(line);
  tally.finish("sentence");
  report.pairs += sentences.size();
  return sentences;
}

}  // namespace gausscse
