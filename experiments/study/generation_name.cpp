#include "experiments/study/generation_name.hpp"

#include <charconv>
#include <system_error>

namespace gausscse {

std::optional<std::pair<std::string, long>> split_generation(std::string_view name) {
  const std::size_t point = name.find('.');
  if (point == std::string_view::npos || point == 0) return std::nullopt;
  const std::string_view digits = name.substr(point + 1);
  long generation = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), generation);
  // "01" would be the name of another file than 1.
  if (error != std::errc() || end != digits.data() + digits.size() || digits.front() == '0' || generation < 1 ||
      generation > highest_generation)
    return std::nullopt;
  return std::pair(std::string(name.substr(0, point)), generation);
}

}  // namespace gausscse
