#include "data/corpus/text_readers.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file_kind.hpp"

namespace gausscse {

namespace {

constexpr std::size_t first_buffer_bytes = std::size_t{64} << 10;

constexpr std::uint64_t eight_bytes = 0x0101010101010101;

/// Returns the bytes of `word` that are `byte`, by their highest bits. Those behind the first one may be wrong.
std::uint64_t bytes_equal_to(std::uint64_t word, char byte) {
  const std::uint64_t others = word ^ eight_bytes * static_cast<unsigned char>(byte);
  return (others - eight_bytes) & ~others & eight_bytes << 7;
}

bool ends_unquoted(char byte, char separator) {
  return byte == separator || byte == '\n' || byte == '\r';
}

/// Returns the place of the separator or line end that ends the unquoted field at `begin`, or the end of `text`.
std::size_t end_of_unquoted(std::string_view text, std::size_t begin, char separator) {
  static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");
  std::size_t at = begin;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    const std::uint64_t found =
        bytes_equal_to(word, separator) | bytes_equal_to(word, '\n') | bytes_equal_to(word, '\r');
    if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
  }
  while (at < text.size() && !ends_unquoted(text[at], separator)) ++at;
  return at;
}

/// Returns the number of line ends: LF, CR LF or CR.
std::size_t count_line_ends(std::string_view text) {
  if (text.empty()) return 0;
  const auto feeds = std::count(text.begin(), text.end(), '\n');
  const auto returns = std::count(text.begin(), text.end(), '\r');
  std::ptrdiff_t both = 0;
  if (returns > 0)
    for (std::size_t i = 1; i < text.size(); ++i) both += text[i] == '\n' && text[i - 1] == '\r';
  return static_cast<std::size_t>(feeds + returns - both);
}

}  // namespace

bool TextBuffer::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(std::max(first_buffer_bytes, 2 * buffer_.size()));
  const std::size_t count = source_.read(buffer_.data() + end_, buffer_.size() - end_);
  at_end_ = count == 0;
  end_ += count;
  return count > 0;
}

void TextBuffer::read_beginning() {
  while (end_ < file_kind_bytes && fill()) {
  }
  refuse_binary_file(bytes(), name_);
}

bool LineReader::next(std::string_view& line) {
  if (line_number_ == 0) text_.read_beginning();
  std::size_t searched = 0;
  while (true) {
    line = text_.bytes();
    const std::size_t found = line.find('\n', searched);
    if (found != std::string_view::npos) {
      line = line.substr(0, found);
      text_.take(found + 1);
      break;
    }
    searched = line.size();
    if (searched > max_line_bytes) {
      throw InputError(concat(at_line(name(), line_number_ + 1), ": the line is longer than ", max_line_bytes,
                              " bytes, so this is no corpus of sentences: check that it is the right file"));
    }
    if (text_.fill()) continue;
    if (searched == 0) return false;
    text_.take(searched);
    break;
  }
  ++line_number_;
  if (line_number_ == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

bool LineReader::next_not_blank(std::string_view& line) {
  while (next(line)) {
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) return true;
  }
  return false;
}

std::vector<std::string_view> split_at_tabs(std::string_view line, std::size_t max_parts) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < max_parts) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) break;
    parts.push_back(line.substr(0, tab));
    line.remove_prefix(tab + 1);
  }
  parts.push_back(line);
  return parts;
}

CsvReader::CsvReader(ByteSource& source, std::string name, char separator)
    : text_(source, std::move(name)), separator_(separator) {
  text_.read_beginning();
  if (text_.bytes().starts_with(byte_order_mark)) text_.take(byte_order_mark.size());
}

/// Returns the line of a place in the text.
std::size_t CsvReader::line_at(std::size_t place) const {
  return line_ + count_line_ends(text_.bytes().substr(0, place));
}

void CsvReader::grow_record(std::size_t bytes) {
  record_bytes_ += bytes;
  if (record_bytes_ > max_line_bytes) {
    throw InputError(concat(at_line(name(), record_line_), ": the record that begins here is longer than ",
                            max_line_bytes, " bytes: a quote (\") is probably not closed"));
  }
}

/// Moves `at` behind a quoted field, from the byte behind its opening quote. False where bytes of it are missing.
bool CsvReader::find_quoted_field(std::size_t& at) {
  const std::string_view text = text_.bytes();
  Field& field = fields_.back();
  field = {.begin = at, .is_quoted = true};
  while (true) {
    const std::size_t quote = std::min(text.find('"', at), text.size());
    grow_record(quote - at);
    if (quote == text.size()) {
      if (!text_.at_end()) return false;
      throw InputError(concat(at_line(name(), line_at(field.begin - 1)),
                              ": a quote (\") is opened here and not closed before the end of the file: close it, or "
                              "double the quotes that belong to the text"));
    }
    at = quote + 1;
    if (at == text.size() && !text_.at_end()) return false;
    if (at == text.size() || text[at] != '"') break;
    grow_record(1);
    ++at;
    field.has_quotes = true;
  }
  field.end = at - 1;
  if (at == text.size() || ends_unquoted(text[at], separator_)) return true;
  const std::size_t line_begin = text.substr(0, at).find_last_of("\r\n") + 1;
  throw InputError(concat(at_line(name(), line_at(at)), ": column ", at - line_begin + 1, ": ",
                          quoted(text.substr(at, 1)), " follows the quote (\") that ends a field, where a ",
                          separator_ == ',' ? "comma" : "semicolon",
                          " or the line end must follow: write "
                          "each quote that belongs to the text twice (\"\"), not behind a backslash"));
}

/// Moves `at` from the begin of a field to its end. False where bytes of it are missing.
bool CsvReader::find_field(std::size_t& at) {
  if (fields_.size() == max_csv_fields) {
    throw InputError(concat(at_line(name(), record_line_), ": the record that begins here has more than ",
                            max_csv_fields, " fields: check that it is the right file"));
  }
  const std::string_view text = text_.bytes();
  fields_.emplace_back();
  if (at < text.size() && text[at] == '"') return find_quoted_field(++at);
  const std::size_t begin = at;
  at = end_of_unquoted(text, begin, separator_);
  fields_.back() = {.begin = begin, .end = at};
  grow_record(at - begin);
  return at < text.size() || text_.at_end();
}

/// Finds the fields of the record at the begin of the text. Returns the record's length with its line end, and 0 where
/// bytes of it are missing.
std::size_t CsvReader::find_fields() {
  const std::string_view text = text_.bytes();
  fields_.clear();
  record_bytes_ = 0;
  for (std::size_t at = 0; find_field(at); ++at) {
    if (at == text.size()) return at;
    if (text[at] == separator_) {
      grow_record(1);
      continue;
    }
    if (text[at] == '\r' && at + 1 == text.size() && !text_.at_end()) return 0;
    return at + (text.substr(at).starts_with("\r\n") ? 2 : 1);
  }
  return 0;
}

bool CsvReader::next(std::vector<std::string_view>& fields) {
  fields.clear();
  record_line_ = line_;
  std::size_t length = 0;
  while (length == 0) {
    if (!text_.bytes().empty()) length = find_fields();
    if (length == 0 && !text_.fill() && text_.bytes().empty()) return false;
  }
  const bool any_quoted =
      std::any_of(fields_.begin(), fields_.end(), [](const Field& field) { return field.is_quoted; });
  line_ = any_quoted ? line_at(length) : line_ + 1;
  char* const record = text_.data();
  for (const Field& field : fields_) {
    char* end = record + field.end;
    if (field.has_quotes) {
      // Two quotes are one quote of the text.
      end = record + field.begin;
      for (const char* from = end; from < record + field.end; from += *from == '"' ? 2 : 1) *end++ = *from;
    }
    fields.emplace_back(record + field.begin, static_cast<std::size_t>(end - record) - field.begin);
  }
  text_.take(length);
  const bool blank = fields.size() == 1 && fields[0].find_first_not_of(" \t") == std::string_view::npos;
  if (blank && !any_quoted) fields.clear();
  return true;
}

}  // namespace gausscse
