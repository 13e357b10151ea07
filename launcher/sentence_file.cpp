#include "launcher/sentence_file.hpp"

#include "base/error.hpp"
#include "data/corpus/byte_source.hpp"
#include "data/corpus/line_reader.hpp"
#include "data/corpus/sentence.hpp"

namespace gausscse {

namespace {

std::string checked(std::string_view text, const char* what, const std::filesystem::path& path, std::size_t line) {
  try {
    return std::string(checked_sentence(text, what));
  } catch (const InputError& error) {
    throw InputError(concat(at_line(path.string(), line), ": ", error.what()));
  }
}

}  // namespace

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  FileSource source(path);
  LineReader reader(source, path.string());
  std::vector<std::string> lines;
  std::string_view line;
  while (reader.next(line)) lines.emplace_back(line);
  if (lines.empty()) throw InputError(concat(path.string(), ": the file is empty: give one sentence a line"));
  return lines;
}

std::vector<std::string> read_sentences(const std::filesystem::path& path) {
  std::vector<std::string> lines = read_lines(path);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = checked(lines[i], "the sentence", path, i + 1);
  return lines;
}

SentencePairs read_sentence_pairs(const std::filesystem::path& path) {
  SentencePairs pairs;
  const std::vector<std::string> lines = read_lines(path);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t tab = lines[i].find('\t');
    if (tab == std::string::npos || lines[i].find('\t', tab + 1) != std::string::npos)
      throw InputError(concat(at_line(path.string(), i + 1), ": ", quoted(lines[i]),
                              " is not two sentences with one tab between them"));
    const std::string_view line = lines[i];
    pairs.premises.push_back(checked(line.substr(0, tab), "the premise", path, i + 1));
    pairs.hypotheses.push_back(checked(line.substr(tab + 1), "the hypothesis", path, i + 1));
  }
  return pairs;
}

}  // namespace gausscse
