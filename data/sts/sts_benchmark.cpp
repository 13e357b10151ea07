#include "data/sts/sts_benchmark.hpp"

#include <string_view>

#include "base/error.hpp"
#include "data/corpus/byte_source.hpp"
#include "data/corpus/corpus_format.hpp"
#include "data/corpus/line_reader.hpp"
#include "data/corpus/sentence.hpp"
#include "data/sts/sts_fields.hpp"

namespace gausscse {

namespace {

constexpr std::size_t score_field = 4, first_field = 5, second_field = 6;

/// `line` is line `number` of `file`, for messages.
StsPair pair_of(std::string_view line, const std::string& file, std::size_t number) {
  const std::vector<std::string_view> fields = split_at_tabs(line, most_fields);
  if (fields.size() <= second_field)
    throw InputError(concat(at_line(file, number), ": the line has ", fields.size(),
                            " fields, but one of the STS benchmark has at least 7 with tabs between them: genre, ",
                            "file, year, number, score, sentence, sentence"));
  const double score = checked_score(fields[score_field], file, number);
  try {
    return {std::string(checked_sentence(fields[first_field], "sentence1", false)),
            std::string(checked_sentence(fields[second_field], "sentence2", false)), score};
  } catch (const InputError& error) {
    throw InputError(concat(at_line(file, number), ": ", error.what()));
  }
}

}  // namespace

bool is_sts_benchmark(const std::filesystem::path& path) {
  FileSource source(path);
  LineReader lines(source, path.string());
  std::string_view line;
  if (!lines.next_not_blank(line)) return false;
  const std::vector<std::string_view> fields = split_at_tabs(line, most_fields);
  return fields.size() > second_field && parse_score(fields[score_field]);
}

std::vector<StsPair> read_sts_benchmark(const std::filesystem::path& path) {
  FileSource source(path);
  return read_sts_benchmark(source, path.string());
}

std::vector<StsPair> read_sts_benchmark(ByteSource& source, const std::string& name) {
  LineReader lines(source, name);
  std::vector<StsPair> pairs;
  for (std::string_view line; lines.next_not_blank(line);) pairs.push_back(pair_of(line, name, lines.line_number()));
  if (pairs.empty()) throw InputError(concat(name, ": the file is empty: give a file of the STS benchmark"));
  return pairs;
}

}  // namespace gausscse
