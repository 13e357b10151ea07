#include "base/option_name.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

class OptionNameTest : public ::testing::Test {
 protected:
  ~OptionNameTest() override { set_option_style(OptionStyle::command_line); }
};

TEST_F(OptionNameTest, IsThatOfTheCommandLineAtFirst) {
  EXPECT_EQ(option_name("max-tokens"), "--max-tokens");
  EXPECT_EQ(option_with_value("max-tokens", "24"), "--max-tokens 24");
}

TEST_F(OptionNameTest, IsThatOfAnArgumentWhereUsersCallFunctions) {
  set_option_style(OptionStyle::arguments);
  EXPECT_EQ(option_style(), OptionStyle::arguments);
  EXPECT_EQ(option_name("max-tokens"), "max_tokens");
  EXPECT_EQ(option_with_value("calibration", "FILE"), "calibration=FILE");
  EXPECT_EQ(option_name("precision"), "precision");
}

}  // namespace
}  // namespace gausscse
