#include "experiments/report/html/html_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "base/error.hpp"
#include "base/text.hpp"

namespace gausscse {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_control(std::uint32_t point) {
  return (point < 0x20 && point != '\t' && point != '\n') || (point >= 0x7F && point < 0xA0);
}

bool changes_direction(std::uint32_t point) {
  return point == 0x61C || point == 0x200E || point == 0x200F || (point >= 0x202A && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069);
}

bool is_no_character(std::uint32_t point) {
  return (point & 0xFFFE) == 0xFFFE || (point >= 0xFDD0 && point <= 0xFDEF);
}

void append_escaped(std::string_view sequence, std::string& to) {
  const std::uint32_t point = code_point_of(sequence);
  if (point == '&') {
    to += "&amp;";
  } else if (point == '<') {
    to += "&lt;";
  } else if (point == '>') {
    to += "&gt;";
  } else if (point == '"') {
    to += "&quot;";
  } else if (point == '\'') {
    to += "&#39;";
  } else if (is_no_character(point)) {
    to += replacement;
  } else if (is_control(point) || changes_direction(point)) {
    char number[16];
    std::snprintf(number, sizeof number, "[U+%04X]", static_cast<unsigned>(point));
    to += number;
  } else {
    to += sequence;
  }
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) {
      escaped += replacement;
    } else {
      append_escaped(text.substr(0, length), escaped);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return escaped;
}

std::string shortened(std::string_view text, std::size_t limit) {
  std::size_t end = 0;
  for (std::size_t points = 0; points < limit && end < text.size(); ++points)
    end += std::max<std::size_t>(utf8_sequence_length(text.substr(end)), 1);
  if (end >= text.size()) return std::string(text);
  return std::string(text.substr(0, end)) + "\xE2\x80\xA6";  // U+2026
}

void HtmlWriter::begin(std::string_view tag, Attributes attributes) {
  written_ += '<';
  written_ += tag;
  for (const auto& [name, value] : attributes) {
    written_ += ' ';
    written_ += name;
    written_ += "=\"";
    written_ += html_escaped(value);
    written_ += '"';
  }
}

HtmlWriter& HtmlWriter::open(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  written_ += '>';
  open_.emplace_back(tag);
  return *this;
}

HtmlWriter& HtmlWriter::close() {
  GAUSSCSE_CHECK(!open_.empty(), "no element is open");
  written_ += "</" + open_.back() + ">";
  // A line for each block, for those who read the source.
  if (open_.back() != "span" && open_.back() != "strong" && open_.back() != "td" && open_.back() != "th")
    written_ += '\n';
  open_.pop_back();
  return *this;
}

HtmlWriter& HtmlWriter::text(std::string_view text) {
  written_ += html_escaped(text);
  return *this;
}

HtmlWriter& HtmlWriter::element(std::string_view tag, std::string_view text, Attributes attributes) {
  open(tag, attributes);
  written_ += html_escaped(text);
  return close();
}

HtmlWriter& HtmlWriter::empty(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  written_ += "/>";
  return *this;
}

HtmlWriter& HtmlWriter::markup(std::string_view markup) {
  written_ += markup;
  return *this;
}

std::string HtmlWriter::take() {
  GAUSSCSE_CHECK(open_.empty(), "open elements: ", open_.size());
  return std::move(written_);
}

}  // namespace gausscse
