#include "base/readable_duration.hpp"

#include <algorithm>
#include <cstdio>

namespace gausscse {

namespace {

/// Three hundred years; more is not to be meant.
constexpr double longest_duration = 1e10;

}  // namespace

std::string readable_duration(double seconds) {
  const auto whole = static_cast<long>(seconds > 0 ? std::min(seconds, longest_duration) + 0.5 : 0);
  char text[48];
  if (whole < 60)
    std::snprintf(text, sizeof text, "%lds", whole);
  else if (whole < 3600)
    std::snprintf(text, sizeof text, "%ldm%02lds", whole / 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%ldh%02ldm", whole / 3600, whole % 3600 / 60);
  return text;
}

}  // namespace gausscse
