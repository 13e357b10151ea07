#pragma once

#include <string>

namespace gausscse {

/// Two sentences and how similar people find them: 0 (nothing in common) to 5 (the same meaning).
struct StsPair {
  std::string first, second;
  double score = 0;
};

}  // namespace gausscse
