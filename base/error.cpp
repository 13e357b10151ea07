#include "base/error.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <system_error>

#include "base/text.hpp"

namespace gausscse {

std::string at_line(std::string_view path, std::size_t line) {
  return concat(path, ":", line);
}

std::string quoted(std::string_view text, std::size_t limit) {
  std::string out = "\"";
  std::size_t i = 0;
  while (i < text.size()) {
    if (i >= limit) {
      out += "...";
      break;
    }
    const std::size_t length = utf8_sequence_length(text.substr(i));
    const auto byte = static_cast<unsigned char>(text[i]);
    if (length == 0 || byte < 0x20 || byte == 0x7f) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
      out += byte == '\n' ? "\\n" : byte == '\t' ? "\\t" : escaped;
      ++i;
    } else {
      out += text.substr(i, length);
      i += length;
    }
  }
  return out + "\"";
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
  }
  return best ? concat(", did you mean \"", *best, "\"?") : std::string();
}

std::string errno_text(int code) {
  return std::generic_category().message(code);
}

namespace detail {

void check_failed(const char* expression, const char* file, int line, const std::string& message) {
  throw std::logic_error(concat(file, ":", line, ": internal check failed: ", expression, " ", message));
}

}  // namespace detail

}  // namespace gausscse
