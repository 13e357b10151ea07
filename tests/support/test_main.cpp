#include "tests/support/disturbances.hpp"
#include "tests/support/testing.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  gausscse::print_disturbances();
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) return 1;
  return failed;
}
