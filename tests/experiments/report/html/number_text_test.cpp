#include "experiments/report/html/number_text.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

TEST(NumberText, Decimals) {
  EXPECT_EQ(decimal_text(1.005, 1), "1.0");
  EXPECT_EQ(decimal_text(-0.04, 1), "0.0");
  EXPECT_EQ(decimal_text(-0.06, 1), "-0.1");
  EXPECT_EQ(decimal_text(std::nan(""), 2), "-");
  EXPECT_EQ(decimal_text(-std::numeric_limits<double>::infinity(), 2), "-");
}

TEST(NumberText, ShortNumbersHaveFourDigits) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(0.5), "0.5");
  EXPECT_EQ(short_number(1.23456), "1.235");
  EXPECT_EQ(short_number(123.456), "123.5");
  EXPECT_EQ(short_number(-98765.4), "-98765");
  EXPECT_EQ(short_number(0.00012345), "0.0001234");
  EXPECT_EQ(short_number(1e-5), "1e-5");
  EXPECT_EQ(short_number(2.5e-11), "2.5e-11");
  EXPECT_EQ(short_number(12345678), "1.235e7");
  EXPECT_EQ(short_number(1000), "1000");
  EXPECT_EQ(short_number(std::nan("")), "-");
  EXPECT_EQ(short_number(std::numeric_limits<double>::max()), "1.798e308");
}

TEST(NumberText, Coordinates) {
  EXPECT_EQ(coordinate_text(12.04), "12");
  EXPECT_EQ(coordinate_text(12.06), "12.1");
  EXPECT_EQ(coordinate_text(100), "100");
  EXPECT_EQ(coordinate_text(-0.01), "0");
}

TEST(NumberText, Figures) {
  EXPECT_EQ(metric_value_text(0.84216, Unit::fraction), "84.22");
  EXPECT_EQ(metric_value_text(0.5, Unit::number), "0.5000");
  EXPECT_EQ(metric_value_text(9842, Unit::count), "9842");
}

TEST(NumberText, Durations) {
  EXPECT_EQ(duration_text(0.44), "0.4 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 0 s");
  EXPECT_EQ(duration_text(3725), "1 h 2 min");
  EXPECT_EQ(duration_text(86400 * 3 + 3600 * 4 + 59), "3 d 4 h");
  EXPECT_EQ(duration_text(-1), "-");
}

TEST(NumberText, Bytes) {
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1234), "1.2 kB");
  EXPECT_EQ(bytes_text(91'400'000), "91 MB");
  EXPECT_EQ(bytes_text(999'600'000), "1.0 GB");
}

}  // namespace

}  // namespace gausscse
