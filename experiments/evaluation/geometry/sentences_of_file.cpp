#include "experiments/evaluation/geometry/sentences_of_file.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "data/corpus/byte_source.hpp"
#include "data/corpus/line_reader.hpp"
#include "data/corpus/sentence.hpp"
#include "data/sts/sts_file.hpp"

namespace gausscse {

namespace {

/// Nothing where the file is not that of the STS benchmark.
std::optional<StsLayout> layout_of_benchmark(const std::filesystem::path& file) {
  FileSource source(file);
  std::optional<StsLayout> layout = find_sts_layout(source, file.string());
  if (!layout || (layout->kind != StsLayout::Kind::benchmark && layout->kind != StsLayout::Kind::named)) return {};
  return layout;
}

}  // namespace

std::vector<std::string> read_sentences(const std::filesystem::path& file, BadLines bad_lines, ReadReport& report) {
  std::vector<std::string> sentences;
  const std::optional<StsLayout> layout = layout_of_benchmark(file);
  FileSource source(file);
  if (layout) {
    for (StsPair& pair : read_sts_pairs(source, file.string(), *layout, bad_lines, report))
      sentences.push_back(std::move(pair.first));
    return sentences;
  }
  const std::size_t bad_before = report.bad_lines;
  LineReader lines(source, file.string());
  for (std::string_view line; lines.next(line);)
    if (report.read_line(bad_lines, file.string(), lines.line_number(), [&] { check_utf8(line); }))
      sentences.emplace_back(line);
  if (sentences.empty())
    throw InputError(concat(file.string(), ": the file has no sentence (", report.bad_lines - bad_before,
                            " bad lines were skipped): give one sentence a line"));
  report.pairs += sentences.size();
  return sentences;
}

}  // namespace gausscse
