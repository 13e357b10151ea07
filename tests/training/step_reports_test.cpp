#include "training/step_reports.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include "tests/support/testing.hpp"
#include "tests/training/recording_observer.hpp"

namespace gausscse {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Three parameters, of which the second has the largest gradient, -4.
class StepReportsTest : public testing::Test {
 protected:
  StepReportsTest() : parameters_({{"first", {2}}, {"second", {3}}, {"third", {2, 2}}}, at::kFloat) {
    parameters_.gradient("first")[1] = 3;
    parameters_.gradient("second")[0] = -4;
    parameters_.gradient("third").fill_(0.5);
  }

  /// Returns the message with which a step is refused; "accepted" where it is reported.
  std::string refusal(double loss, double squared_norm) {
    StepReports reports(observer_, parameters_, 10, StepReports::Clock::now);
    TrainingSeries series;
    return refusal_of([&] {
      reports.add({.number = 7,
                   .loss = loss,
                   .learning_rate = 0.5,
                   .squared_norm = at::full({1}, squared_norm, at::kDouble),
                   .examples = 8,
                   .tokens = 100,
                   .begin = StepReports::Clock::now()},
                  series);
    });
  }

  ParameterStore parameters_;
  RecordingObserver observer_;
};

TEST_F(StepReportsTest, FiniteOnesAreTold) {
  EXPECT_EQ(refusal(2.5, 25), "accepted");
  ASSERT_EQ(observer_.steps.size(), 1u);
  EXPECT_EQ(observer_.steps[0].step, 7);
  EXPECT_EQ(observer_.steps[0].total_steps, 10);
  EXPECT_EQ(observer_.steps[0].gradient_norm, 5);
}

TEST_F(StepReportsTest, WhereTheLossIsNotFiniteTheLargestGradientIsNamed) {
  const std::string end =
      ", the gradients' norm is 5; the largest gradient is that of second (4): lower training.learning_rate, or set "
      "training.clip_norm";
  EXPECT_EQ(refusal(nan, 25), "training stopped at step 7: the loss is nan" + end);
  EXPECT_EQ(refusal(infinity, 25), "training stopped at step 7: the loss is inf" + end);
  EXPECT_TRUE(observer_.steps.empty());
}

TEST_F(StepReportsTest, HeldParametersHaveNoLargestGradient) {
  parameters_ = ParameterStore({{"held", {2}}, {"trained", {3}}}, at::kFloat);
  parameters_.hold_before(2);
  parameters_.gradient("trained")[1] = 2;
  EXPECT_NE(refusal(nan, 4).find("the largest gradient is that of trained (2):"), std::string::npos);
}

TEST_F(StepReportsTest, AGradientThatIsNotFiniteIsNamedFirst) {
  const auto expected = [](const char* norm, const char* name) {
    return std::string("training stopped at step 7: the loss is 2.5, the gradients' norm is ") + norm +
           "; the largest gradient is that of " + name +
           " (not finite): lower training.learning_rate, or set training.clip_norm";
  };
  parameters_.gradient("third")[1][0] = nan;
  EXPECT_EQ(refusal(2.5, nan), expected("nan", "third"));
  parameters_.gradient("first")[0] = -infinity;
  EXPECT_EQ(refusal(2.5, infinity), expected("inf", "first"));
}

}  // namespace
}  // namespace gausscse
