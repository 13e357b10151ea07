#include "experiments/report/sections/report_sections.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

/// One group of one trial, with a task `snli`.
class ProbabilitySection : public testing::Test {
 protected:
  ProbabilitySection() {
    StudyTrial& trial = study_.trials.emplace_back();
    trial.planned = {"all", {{"system", "ent"}}, 0, "", ""};
    trial.status = TrialStatus::done;
    data_.groups = groups_of(study_.trials);
    data_.shown = {true};
    data_.summaries.resize(1);
    data_.summaries[0].seeds = 1;
    data_.summaries[0].probabilities.resize(1);
    summary().task = "snli";
  }

  ProbabilitySummary& summary() { return data_.summaries[0].probabilities[0]; }

  std::string section(void (*add_section)(HtmlWriter&, const ReportContent&)) {
    HtmlWriter page;
    add_section(page, {study_, data_, "", {}, {}});
    return page.take();
  }

  StudyResults study_{"/nowhere", "study", {}};
  ReportData data_;
};

/// A plot's area has 328 by 202 units, whose lower left corner is at (60, 212).
TEST_F(ProbabilitySection, DrawTheReliabilityAndTheRiskOfProbabilities) {
  EXPECT_EQ(section(add_probabilities), "") << "the result has no probabilities";
  summary().add({"snli",
                 "nli",
                 false,
                 {},
                 {{"probability", std::vector<double>{0.25, 1}}, {"label", std::vector<std::uint8_t>{1, 0}}},
                 ""},
                true);
  const std::string html = section(add_probabilities);
  EXPECT_TRUE(says(html, "<figcaption>snli, reliability</figcaption>")) << html;
  EXPECT_TRUE(says(html, "d=\"M142 212L388 10\"")) << "P 0.25 with no entailment, P 1 with one: " << html;
  // Wilson's interval of none of one is [0, z^2 / (1 + z^2)] = [0, 0.7935], that of one of one [0.2065, 1].
  EXPECT_TRUE(says(html, "d=\"M142 212V51.7m-3 0h6M142 212m-3 0h6M388 170.3V10m-3 0h6M388 170.3m-3 0h6\"")) << html;
  EXPECT_TRUE(says(html, "2 bins of 1 pairs.")) << html;
  EXPECT_TRUE(says(html, "<figcaption>snli, error by coverage</figcaption>")) << html;
  // The axis ends at 10.5 %: 5 % is at 212 - 202 / 2.1, and 10 % at 212 - 202 / 1.05.
  EXPECT_TRUE(says(html, "d=\"M60 115.8L388 115.8\"")) << html;
  EXPECT_TRUE(says(html, "d=\"M60 19.6L388 19.6\"")) << html;
  EXPECT_TRUE(says(html, "error among them, % by coverage: most confident pairs, %. all: 0 at 1, 0 at 100.")) << html;
}

}  // namespace

}  // namespace gausscse
