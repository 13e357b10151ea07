#include "experiments/tables/cell_text.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::string cut(double fraction) {
  return printed_value(fraction, Unit::fraction, true);
}

std::string rounded(double fraction) {
  return printed_value(fraction, Unit::fraction, false);
}

TEST(PrintedValue, IsCutTowardZero) {
  EXPECT_EQ(cut(0.62016666), "62.01");
  EXPECT_EQ(cut(2862.0 / 3463), "82.64");
  EXPECT_EQ(cut(3120.0 / 3368), "92.63");
  EXPECT_EQ(cut(549.0 / 794), "69.14");
  EXPECT_EQ(cut(0.999999), "99.99");
  EXPECT_EQ(cut(-0.62019), "-62.01");
  EXPECT_EQ(cut(-0.00009), "0.00");
  EXPECT_EQ(cut(0), "0.00");
  EXPECT_EQ(cut(1), "100.00");
}

TEST(PrintedValue, WhatHasTwoDecimalsIsNotCut) {
  // Doubles of half of these are a little less than the decimal.
  for (int hundredths = 0; hundredths <= 10'000; ++hundredths) {
    char wanted[16];
    std::snprintf(wanted, sizeof wanted, "%d.%02d", hundredths / 100, hundredths % 100);
    ASSERT_EQ(cut(hundredths / 10'000.0), wanted);
    ASSERT_EQ(cut(hundredths * 0.0001), wanted);
    ASSERT_EQ(rounded(hundredths / 10'000.0), wanted);
  }
  EXPECT_EQ(cut((0.7443 + 0.7445 + 0.7444) / 3), "74.44");
}

TEST(PrintedValue, OneItemOfAMillionBelowIsCut) {
  EXPECT_EQ(cut(0.7444 - 1.0 / 5e6), "74.43");
  EXPECT_EQ(cut(0.7444 + 1.0 / 5e6), "74.44");
}

TEST(PrintedValue, IsRoundedOtherwise) {
  EXPECT_EQ(rounded(0.62016666), "62.02");
  EXPECT_EQ(rounded(0.62014), "62.01");
  EXPECT_EQ(rounded(-0.000001), "0.00");
}

TEST(PrintedValue, OfOtherUnits) {
  EXPECT_EQ(printed_value(0.61349, Unit::number, true), "0.6135");
  EXPECT_EQ(printed_value(-0.00001, Unit::number, false), "0.0000");
  EXPECT_EQ(printed_value(3368, Unit::count, true), "3368");
  EXPECT_EQ(printed_value(3368.5, Unit::count, false), "3368.50");
  for (const Unit unit : {Unit::fraction, Unit::number, Unit::count})
    EXPECT_EQ(printed_value(std::nan(""), unit, true), "-");
  EXPECT_EQ(cut(std::numeric_limits<double>::infinity()), "inf");
}

TEST(PrintedValue, DifferencesAreThoseOfWhatIsPrinted) {
  EXPECT_EQ(printed_difference("77.63", "77.70", Unit::fraction), "-0.07");
  EXPECT_EQ(printed_difference("77.70", "77.63", Unit::fraction), "+0.07");
  EXPECT_EQ(printed_difference("77.63", "77.63", Unit::fraction), "+0.00");
  EXPECT_EQ(printed_difference("-", "77.63", Unit::fraction), "-");
  EXPECT_EQ(printed_difference("0.1234", "0.1200", Unit::number), "+0.0034");
  EXPECT_EQ(printed_p(0.00009), "<0.0001");
  EXPECT_EQ(printed_p(0.0625), "0.0625");
  EXPECT_EQ(printed_next_to(0.00314, Unit::fraction), "0.31");
  EXPECT_EQ(printed_next_to(0.00314, Unit::number), "0.0031");
  EXPECT_TRUE(std::isnan(printed_number("-")));
  EXPECT_EQ(printed_number("-62.01"), -62.01);
}

}  // namespace
}  // namespace gausscse
