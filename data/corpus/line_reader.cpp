#include "data/corpus/line_reader.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/file_kind.hpp"

namespace gausscse {

namespace {

constexpr std::size_t first_buffer_bytes = std::size_t{32} << 10;

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

}  // namespace gausscse
