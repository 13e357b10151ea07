#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gausscse {

/// Lines of a text file, without line ends and byte order mark. Throws InputError for a file that cannot be read or has
/// no line.
std::vector<std::string> read_lines(const std::filesystem::path& path);

/// Sentences, one a line, trimmed. Throws InputError, with the line, for one that is empty or not UTF-8.
std::vector<std::string> read_sentences(const std::filesystem::path& path);

/// Premise and hypothesis of each line, separated by a tab. Throws InputError, with the line, where one is missing.
struct SentencePairs {
  std::vector<std::string> premises;
  std::vector<std::string> hypotheses;
};
SentencePairs read_sentence_pairs(const std::filesystem::path& path);

}  // namespace gausscse
