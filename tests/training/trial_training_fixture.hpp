#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/training/tiny_training.hpp"

namespace gausscse::testing_support {

/// Effects of the keys of a trial's training.
class TrialTraining : public testing::Test {
 protected:
  using Texts = std::vector<std::string>;

  TinyRun train(const Texts& overrides) const { return training_.train(overrides); }

  const TinyTraining training_;
};

}  // namespace gausscse::testing_support
