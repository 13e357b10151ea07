#pragma once

#include <string>
#include <vector>

#include "data/sts/sts_pair.hpp"

namespace gausscse {

/// Pairs that belong together: a file, or one of the parts of a year of SemEval's STS.
struct StsSubset {
  std::string name;
  std::vector<StsPair> pairs;
};

}  // namespace gausscse
