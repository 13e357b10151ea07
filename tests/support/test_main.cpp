#include <gtest/gtest.h>

#include "tests/support/disturbances.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  gausscse::testing_support::print_disturbances();
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) return 1;
  return failed;
}
