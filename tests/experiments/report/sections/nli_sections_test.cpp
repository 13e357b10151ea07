#include <gtest/gtest.h>

#include <array>
#include <string>

#include "experiments/report/sections/report_sections.hpp"
#include "tests/support/refusal.hpp"

namespace gausscse {

namespace {

using testing_support::says;

/// One group of one trial, with a task `snli`.
class NliSections : public testing::Test {
 protected:
  NliSections() {
    StudyTrial& trial = study_.trials.emplace_back();
    trial.planned = {"all", {{"system", "ent"}}, 0, "", ""};
    trial.status = TrialStatus::done;
    data_.groups = groups_of(study_.trials);
    data_.shown = {true};
    data_.summaries.resize(1);
    data_.summaries[0].seeds = 1;
    data_.summaries[0].nli.resize(1);
    summary().task = "snli";
    // Pair 0 entails, pairs 4 and 7 do not, and the others have no gold label.
    summary().add({"snli",
                   "nli",
                   false,
                   {},
                   {{"sim_hypothesis_premise", std::vector<float>{0.125f, 0, 0, 0, 0.875f, 0, 0, 0.75f, 0}},
                    {"label", std::vector<std::uint8_t>{0, 3, 3, 3, 2, 3, 3, 1, 3}}},
                   ""},
                  false);
  }

  NliSummary& summary() { return data_.summaries[0].nli[0]; }

  std::string section(void (*add_section)(HtmlWriter&, const ReportContent&)) {
    HtmlWriter page;
    add_section(page, {study_, data_, "", {}, {}});
    return page.take();
  }

  StudyResults study_{"/nowhere", "study", {}};
  ReportData data_;
};

TEST_F(NliSections, DrawEachCurveUnderItsOwnTitle) {
  Band falling;
  falling.add(std::array{0.0, 0.5, 1.0}, std::array{1.0, 0.75, 0.5});
  const struct {
    Band NliSummary::*band;
    const char* title;
  } curves[] = {{&NliSummary::among_all, "<figcaption>snli, entailment against all others</figcaption>"},
                {&NliSummary::among_neutral, "<figcaption>snli, entailment against neutral</figcaption>"},
                {&NliSummary::among_contradictions, "<figcaption>snli, entailment against contradiction</figcaption>"}};
  for (const auto& drawn : curves) {
    for (const auto& curve : curves) summary().*curve.band = Band();
    summary().*drawn.band = falling;
    const std::string html = section(add_precision_recall);
    for (const auto& curve : curves)
      EXPECT_EQ(html.find(curve.title) != std::string::npos, curve.band == drawn.band) << curve.title << "\n" << html;
  }
}

/// A plot's area has 328 by 202 units, whose lower left corner is at (60, 212).
TEST_F(NliSections, DrawTheReliabilityAndTheRiskOfProbabilities) {
  EXPECT_EQ(section(add_probabilities), "") << "the result has no probabilities";
  summary().probability.add(
      {"snli",
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

TEST_F(NliSections, DrawDirectionsByLength) {
  EXPECT_EQ(section(add_directions_by_length), "") << "the result has no directions";
  summary().directions.add({"snli",
                            "nli",
                            false,
                            {{"directed_pairs", 3, Unit::count}},
                            {{"sim_hypothesis_premise", std::vector<float>{1, 1, 0}},
                             {"sim_premise_hypothesis", std::vector<float>(3, 0.5f)},
                             {"log_std_premise", std::vector<float>{1, 1, 3}},
                             {"log_std_hypothesis", std::vector<float>(3, 2)},
                             {"label", std::vector<std::uint8_t>(3, 0)},
                             {"entails_both_ways", std::vector<std::uint8_t>(3, 0)},
                             {"premise_characters", std::vector<std::int64_t>{9, 30, 30}},
                             {"hypothesis_characters", std::vector<std::int64_t>{10, 10, 10}}},
                            ""});
  const std::string html = section(add_directions_by_length);
  EXPECT_TRUE(says(html, "<figcaption>snli, direction by length</figcaption>")) << html;
  // Wilson's interval of one of two is [9.45, 90.55] %.
  EXPECT_TRUE(says(html,
                   "<th scope=\"row\">-10 to -1</th><td>1</td><td>100.00 [20.65, 100.00]</td>"
                   "<td>0.00 [0.00, 79.35]</td><td>0.00</td>"))
      << html;
  EXPECT_TRUE(says(html,
                   "<th scope=\"row\">11 to 20</th><td>2</td><td>50.00 [9.45, 90.55]</td>"
                   "<td>50.00 [9.45, 90.55]</td><td>100.00</td>"))
      << html;
  // The axis goes from -1.84 to 20.84, so that -1 is at 72.15. Bars stand 3 units to both sides.
  EXPECT_TRUE(says(html, "d=\"M69.1 170.3V10m-3 0h6")) << "by similarity, [20.65, 100]: " << html;
  EXPECT_TRUE(says(html, "d=\"M75.1 212V51.7m-3 0h6")) << "by variance, [0, 79.35]: " << html;
  EXPECT_TRUE(says(html, "class=\"line\" d=\"M69.1 10L372.9 111\"")) << html;
  EXPECT_TRUE(says(html, "class=\"line\" d=\"M75.1 212L378.9 111\"")) << html;
  EXPECT_TRUE(says(html,
                   "by similarity: 100 at -1, 50 at 20. by variance: 0 at -1, 50 at 20. the longer sentence is "
                   "the premise: 0 at -1, 100 at 20."))
      << html;
}

TEST_F(NliSections, ListEntailmentsAndOtherPairsApart) {
  const NliSource source{"snli.jsonl", "", "", false, false};
  summary().source = source;
  NliTexts& texts = data_.texts[source];
  texts.pairs = 9;
  texts.chosen[0] = {"Someone sings.", "Somebody sings.", NliLabel::entailment};
  texts.chosen[4] = {"A dog runs.", "A dog sleeps.", NliLabel::contradiction};
  texts.chosen[7] = {"A man walks.", "A man walks home.", NliLabel::neutral};
  const std::string html = section(add_worst_pairs);
  const std::size_t missed = html.find("<caption>snli: entailments of the lowest similarity</caption>"),
                    mistaken = html.find("<caption>snli: other pairs of the highest similarity</caption>");
  ASSERT_NE(missed, std::string::npos) << html;
  ASSERT_NE(mistaken, std::string::npos) << html;
  ASSERT_LT(missed, mistaken);
  const std::string first = html.substr(missed, mistaken - missed), second = html.substr(mistaken);
  // Pairs are counted from one.
  EXPECT_TRUE(says(first,
                   "<bdi>Someone sings.</bdi>\n</td><td class=\"words\"><bdi>Somebody sings.</bdi>\n</td>"
                   "<td>entailment</td><td>0.1250</td><td>1</td>"))
      << first;
  EXPECT_EQ(first.find("A dog runs."), std::string::npos) << first;
  EXPECT_TRUE(says(second, "<bdi>A dog sleeps.</bdi>\n</td><td>contradiction</td><td>0.8750</td><td>5</td>")) << second;
  EXPECT_TRUE(says(second, "<bdi>A man walks home.</bdi>\n</td><td>neutral</td><td>0.7500</td><td>8</td>")) << second;
  EXPECT_EQ(second.find("sings"), std::string::npos) << second;
}

}  // namespace

}  // namespace gausscse
