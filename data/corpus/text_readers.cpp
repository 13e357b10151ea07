#include "data/corpus/text_readers.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file_kind.hpp"

namespace gausscse {

namespace {

constexpr std::size_t first_buffer_bytes = std::size_t{32} << 10;

constexpr std::size_t buffer_bytes = std::size_t{32} << 10;

}  // namespace

bool LineReader::fill() {
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

void LineReader::check_kind() {
  while (end_ < file_kind_bytes && fill()) {
  }
  refuse_binary_file(std::string_view(buffer_.data(), end_), name_);
}

bool LineReader::next(std::string_view& line) {
  if (line_number_ == 0) check_kind();
  std::size_t searched = 0;
  while (true) {
    const std::string_view unsearched(buffer_.data() + begin_ + searched, end_ - begin_ - searched);
    const std::size_t found = unsearched.find('\n');
    if (found != std::string_view::npos) {
      line = std::string_view(buffer_.data() + begin_, searched + found);
      begin_ += searched + found + 1;
      break;
    }
    searched += unsearched.size();
    if (searched > max_line_bytes) {
      throw InputError(concat(at_line(name_, line_number_ + 1), ": the line is longer than ", max_line_bytes,
                              " bytes, so this is no corpus of sentences: check that it is the right file"));
    }
    if (fill()) continue;
    if (searched == 0) return false;
    line = std::string_view(buffer_.data() + begin_, searched);
    begin_ = end_;
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
    : source_(source), name_(std::move(name)), buffer_(buffer_bytes, '\0'), separator_(separator) {
  while (end_ < file_kind_bytes) {
    const std::size_t count = source_.read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += count;
    if (count == 0) break;
  }
  const std::string_view begin(buffer_.data(), end_);
  refuse_binary_file(begin, name_);
  if (begin.starts_with(byte_order_mark)) begin_ = byte_order_mark.size();
}

int CsvReader::peek() {
  if (begin_ == end_ && !at_end_) {
    begin_ = 0;
    end_ = source_.read(buffer_.data(), buffer_.size());
    at_end_ = end_ == 0;
  }
  return begin_ == end_ ? end_of_text : static_cast<unsigned char>(buffer_[begin_]);
}

int CsvReader::take() {
  const int character = peek();
  if (character == end_of_text) return character;
  ++begin_;
  ++column_;
  return character;
}

void CsvReader::grow_record() {
  if (++record_bytes_ > max_line_bytes) {
    throw InputError(concat(at_line(name_, record_line_), ": the record that begins here is longer than ",
                            max_line_bytes, " bytes: a quote (\") is probably not closed"));
  }
}

/// Takes the LF of a CR LF, after CR or LF was read, and counts the line.
void CsvReader::take_rest_of_line_end(int character) {
  if (character == '\r' && peek() == '\n') take();
  ++line_;
  column_ = 0;
}

/// Adds a field, with what is in quotes at its start.
void CsvReader::begin_field(std::vector<std::string>& fields) {
  if (fields.size() == max_csv_fields) {
    throw InputError(concat(at_line(name_, record_line_), ": the record that begins here has more than ",
                            max_csv_fields, " fields: check that it is the right file"));
  }
  fields.emplace_back();
  if (peek() != '"') return;
  take();
  has_quotes_ = true;
  read_quoted(fields.back());
  check_behind_quote();
}

void CsvReader::check_behind_quote() {
  const int next = peek();
  if (next == end_of_text || next == separator_ || next == '\n' || next == '\r') return;
  throw InputError(
      concat(at_line(name_, line_), ": column ", column_ + 1, ": ", quoted(std::string(1, static_cast<char>(next))),
             " follows the quote (\") that ends a field, where a ", separator_ == ',' ? "comma" : "semicolon",
             " or the line end must follow: write "
             "each quote that belongs to the text twice (\"\"), not behind a backslash"));
}

/// Reads the rest of a field after its opening quote, with the closing quote.
void CsvReader::read_quoted(std::string& field) {
  const std::size_t opened_at = line_;
  while (true) {
    const int character = take();
    if (character == end_of_text) {
      throw InputError(concat(at_line(name_, opened_at),
                              ": a quote (\") is opened here and not closed before the end of the file: close it, or "
                              "double the quotes that belong to the text"));
    }
    if (character == '"') {
      if (peek() != '"') return;
      take();
    } else if (character == '\n' || (character == '\r' && peek() != '\n')) {
      ++line_;
      column_ = 0;
    }
    grow_record();
    field.push_back(static_cast<char>(character));
  }
}

bool CsvReader::next(std::vector<std::string>& fields) {
  fields.clear();
  record_bytes_ = 0;
  has_quotes_ = false;
  if (peek() == end_of_text) return false;
  record_line_ = line_;
  if (peek() == '\n' || peek() == '\r') {
    take_rest_of_line_end(take());
    return true;
  }
  begin_field(fields);
  while (true) {
    const int character = take();
    if (character == end_of_text || character == '\n' || character == '\r') {
      if (character != end_of_text) take_rest_of_line_end(character);
      const bool blank = fields.size() == 1 && fields[0].find_first_not_of(" \t") == std::string::npos;
      if (blank && !has_quotes_) fields.clear();
      return true;
    }
    grow_record();
    if (character != separator_) {
      fields.back().push_back(static_cast<char>(character));
      continue;
    }
    begin_field(fields);
  }
}

}  // namespace gausscse
