#include "data/transfer/text_lines.hpp"

#include <string_view>

#include "base/error.hpp"
#include "base/file_kind.hpp"

namespace gausscse {

namespace {

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
