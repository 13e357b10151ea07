#include "data/transfer/transfer_lines.hpp"

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "base/file_kind.hpp"
#include "data/corpus/row_source.hpp"
#include "data/corpus/sentence.hpp"

namespace gausscse {

namespace {

/// Returns the parts before and after the first `separator`.
std::pair<std::string_view, std::string_view> cut_at(std::string_view text, char separator, const char* form) {
  const std::size_t place = text.find(separator);
  if (place == std::string_view::npos)
    throw InputError(concat(quoted(text), " has no ", quoted(std::string(1, separator)), " in it: a line is ", form,
                            ", mend or remove it"));
  return {text.substr(0, place), text.substr(place + 1)};
}

std::string_view ends_of(LineEnds ends) {
  return ends == LineEnds::of_files ? "\n\r" : "\n\r\v\f\x1C\x1D\x1E\x85";
}

std::string from_latin1(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    if (code < 0x80) {
      text += byte;
    } else {
      text += static_cast<char>(0xC0 | (code >> 6));
      text += static_cast<char>(0x80 | (code & 0x3F));
    }
  }
  return text;
}

}  // namespace

std::uint32_t class_of(std::string_view word, const std::vector<std::string>& classes) {
  const auto found = std::find(classes.begin(), classes.end(), word);
  if (found != classes.end()) return static_cast<std::uint32_t>(found - classes.begin());
  std::string known;
  for (const std::string& each : classes) known += (known.empty() ? "" : ", ") + each;
  throw InputError(concat("the label ", quoted(word), " is not known: it must be one of ", known));
}

TransferExample sentence_and_label(std::string_view line, const std::vector<std::string>& classes) {
  const std::vector<std::string_view> fields = split_at_tabs(trimmed(line), 3);
  if (fields.size() != 2)
    throw InputError(concat(quoted(line), " has ", fields.size() - 1,
                            " tabs in it: a line is a sentence, one tab and a label, mend or remove it"));
  return {with_single_blanks(fields[0]), {}, class_of(fields[1], classes)};
}

TransferExample label_and_sentence(std::string_view line, const std::vector<std::string>& classes) {
  const auto [label, sentence] = cut_at(trimmed(line), ' ', "a label, a blank and a sentence");
  return {with_single_blanks(sentence), {}, class_of(label, classes)};
}

TransferExample question(std::string_view line, const std::vector<std::string>& classes) {
  constexpr const char* form = "LABEL:finer and a question";
  const auto [label, rest] = cut_at(trimmed(line), ':', form);
  return {with_single_blanks(cut_at(rest, ' ', form).second), {}, class_of(label, classes)};
}

std::vector<std::string> text_lines(std::string_view bytes, const std::string& name, TextEncoding encoding,
                                    LineEnds ends) {
  refuse_binary_file(bytes, name);
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find_first_of(ends_of(ends));
    const std::string_view line = bytes.substr(0, end);
    lines.push_back(encoding == TextEncoding::latin1 ? from_latin1(line) : std::string(line));
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + (bytes.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  if (lines.empty()) throw InputError(concat(name, ": the file is empty, so there is nothing to classify"));
  return lines;
}

}  // namespace gausscse
