#include "experiments/evaluation/geometry/sentences_of_file.hpp"

#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "data/corpus/byte_source.hpp"
#include "data/corpus/line_reader.hpp"
#include "data/corpus/sentence.hpp"
#include "data/sts/sts_benchmark.hpp"

namespace gausscse {

std::vector<std::string> read_sentences(const std::filesystem::path& file) {
  std::vector<std::string> sentences;
  if (is_sts_benchmark(file)) {
    for (StsPair& pair : read_sts_benchmark(file)) sentences.push_back(std::move(pair.first));
    return sentences;
  }
  FileSource source(file);
  LineReader lines(source, file.string());
  for (std::string_view line; lines.next(line);) {
    try {
      check_utf8(line);
    } catch (const InputError& error) {
      throw InputError(concat(at_line(file.string(), lines.line_number()), ": ", error.what()));
    }
    sentences.emplace_back(line);
  }
  if (sentences.empty()) throw InputError(concat(file.string(), ": the file is empty: give one sentence a line"));
  return sentences;
}

}  // namespace gausscse
