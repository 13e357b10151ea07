#include "data/source/json_array_source.hpp"

#include "base/error.hpp"

namespace gausscse {

namespace {

constexpr std::string_view blanks = " \t\r\n";

bool is_blank(char byte) {
  return blanks.find(byte) != std::string_view::npos;
}

}  // namespace

/// Decides from the beginning whether the text is an array, and no sentence such as "[Music] plays". False as long as
/// more bytes are needed.
bool JsonArraySource::find_part() {
  std::string_view text = out_;
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return false;
  if (text[begin] != '[') {
    part_ = Part::plain;
    return true;
  }
  const std::size_t next = text.find_first_not_of(blanks, begin + 1);
  if (next == std::string_view::npos) return false;
  part_ = std::string_view("{[\"]").find(text[next]) == std::string_view::npos ? Part::plain : Part::between;
  if (part_ == Part::between) {
    const std::string rest(text.substr(begin + 1));
    out_.clear();
    translate(rest);
  }
  return true;
}

std::size_t JsonArraySource::read(char* buffer, std::size_t capacity) {
  if (part_ == Part::plain && given_ == out_.size()) return source_.read(buffer, capacity);
  while (part_ == Part::beginning || given_ == out_.size())
    if (!fill()) break;
  const std::size_t count = out_.copy(buffer, capacity, given_);
  given_ += count;
  return count;
}

/// Reads on; false at the end of the source.
bool JsonArraySource::fill() {
  char bytes[4096];
  const std::size_t count = source_.read(bytes, sizeof bytes);
  if (part_ == Part::beginning) {
    out_.append(bytes, count);
    if (find_part() || count > 0) return count > 0;
    // Blanks alone, or "[" and nothing more.
    part_ = out_.find('[') == std::string::npos ? Part::plain : Part::between;
  }
  if (count == 0) {
    if (part_ == Part::between || part_ == Part::element)
      throw InputError(concat(name_, ": the JSON array has no end: the file is cut short, get it again"));
    return false;
  }
  out_.clear();
  given_ = 0;
  if (part_ == Part::plain)
    out_.assign(bytes, count);
  else
    translate({bytes, count});
  return true;
}

void JsonArraySource::translate(std::string_view bytes) {
  for (const char byte : bytes) {
    if (part_ == Part::element) {
      take_element_byte(byte);
    } else if (part_ == Part::behind) {
      if (!is_blank(byte)) throw InputError(concat(name_, ": text follows the end of the JSON array: remove it"));
    } else if (byte == ']') {
      part_ = Part::behind;
    } else if (byte != ',' && !is_blank(byte)) {
      part_ = Part::element;
      take_element_byte(byte);
    }
  }
}

void JsonArraySource::take_element_byte(char byte) {
  if (in_text_) {
    in_text_ = escaped_ || byte != '"';
    escaped_ = !escaped_ && byte == '\\';
  } else if (depth_ == 0 && (byte == ',' || byte == ']')) {
    out_ += '\n';
    part_ = byte == ',' ? Part::between : Part::behind;
    return;
  } else if (byte == '"') {
    in_text_ = true;
  } else if (byte == '{' || byte == '[') {
    ++depth_;
  } else if (byte == '}' || byte == ']') {
    --depth_;
  }
  out_ += byte == '\n' || byte == '\r' ? ' ' : byte;
}

}  // namespace gausscse
