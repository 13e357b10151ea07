#include "experiments/report/sections/report_sections.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

using Values = std::vector<double>;

Band band_of(const Values& x, const Values& values) {
  Band band;
  band.add(x, values);
  return band;
}

std::size_t count_of_part(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Groups of one stage on the axes `start` and `temperature`, each of one seed, with a task `tokens`.
class GeometrySections : public testing::Test {
 protected:
  GroupSummary& add(const std::string& start, const std::string& temperature) {
    StudyTrial& trial = study_.trials.emplace_back();
    trial.planned = {"all", {{"start", start}, {"temperature", temperature}}, 0, "", ""};
    trial.status = TrialStatus::done;
    GroupSummary& summary = data_.summaries.emplace_back();
    summary.seeds = 1;
    summary.geometry.push_back({"tokens"});
    data_.shown.push_back(true);
    return summary;
  }

  /// Returns the markup of a section; empty where there is none.
  std::string section(void (*add_section)(HtmlWriter&, const ReportContent&)) {
    data_.groups = groups_of(study_.trials);
    HtmlWriter page;
    add_section(page, {study_, data_, "", {}, {}});
    return page.take();
  }

  StudyResults study_{"/nowhere", "study", {}};
  ReportData data_;
};

TEST_F(GeometrySections, AreNotThereWithoutWhatTheyShow) {
  add("minilm", "0.05");
  EXPECT_EQ(section(add_geometry), "");
  data_.summaries[0].geometry.clear();
  EXPECT_EQ(section(add_geometry), "");
}

void add_curve(GroupSummary& summary, const std::string& metric, double first, double last) {
  summary.curves.push_back({"tokens", metric, Unit::number, band_of({0, 200}, {first, last})});
}

TEST_F(GeometrySections, DrawTheMetricsOfThePaperByStepFirst) {
  for (const auto& [temperature, shift] : {std::pair{"0.01", 0.0}, std::pair{"1", 0.25}}) {
    GroupSummary& summary = add("minilm", temperature);
    add_curve(summary, "self_similarity", 0.5, 0.75 + shift);
    add_curve(summary, "adjusted_intra_sentence_similarity", 0.125, 0.375 + shift);
    add_curve(summary, "anisotropy", 0.5, 0.25 + shift);
    summary.geometry[0].layers = {{"anisotropy", Band(), band_of({0, 1}, {0.5, 0.25})}};
  }
  const std::string html = section(add_geometry);
  const std::size_t main = html.find("<figcaption>anisotropy of tokens by step</figcaption>"),
                    similarity = html.find("<figcaption>adjusted intra-sentence similarity of tokens by step"),
                    others = html.find("<summary>Unadjusted and sampled metrics of tokens</summary>");
  ASSERT_NE(main, std::string::npos);
  EXPECT_LT(main, similarity);
  EXPECT_LT(similarity, html.find("<figcaption>anisotropy of tokens by layer</figcaption>"));
  EXPECT_LT(html.find("<figcaption>anisotropy of tokens by layer</figcaption>"), others);
  EXPECT_GT(html.find("<figcaption>self-similarity of tokens by step</figcaption>"), others);
  EXPECT_TRUE(says(html,
                   "<desc>anisotropy by step. temperature 0.01: 0.5 at 0, 0.25 at 200. temperature 1: 0.5 at 0, "
                   "0.5 at 200.</desc>"));
  EXPECT_TRUE(says(html, "temperature 0.01: 0.125 at 0, 0.375 at 200. temperature 1: 0.125 at 0, 0.625 at 200."));
  EXPECT_EQ(html.find("reference"), std::string::npos) << "nothing is known of the untrained state";
  EXPECT_EQ(html.find("Loss and its bounds"), std::string::npos) << "the loss is not of cosines";
}

TEST_F(GeometrySections, DrawUntrainedStatesThatAreAlikeOnce) {
  for (const char* start : {"minilm", "random"}) {
    for (const char* temperature : {"0.01", "1"}) {
      const double before = std::string(start) == "minilm" ? 0.5 : 0.75;
      add(start, temperature).geometry[0].layers = {
          {"norm", band_of({0, 1}, {before, before + 1}), band_of({0, 1}, {2, 3})}};
    }
  }
  const std::string html = section(add_geometry);
  EXPECT_EQ(count_of_part(html, "<path class=\"reference\""), 4u) << "two lines, and two in the legend";
  EXPECT_TRUE(
      says(html, "before training, minilm: 0.5 at 0, 1.5 at 1. before training, random: 0.75 at 0, 1.75 at 1."));
  EXPECT_TRUE(says(html, "random \xC2\xB7 temperature 1: 2 at 0, 3 at 1."));
  // All are alike: no setting distinguishes them.
  for (GroupSummary& summary : data_.summaries)
    summary.geometry[0].layers[0].before = band_of({0, 1}, {0.5, std::nan("")});
  const std::string alike = section(add_geometry);
  EXPECT_EQ(count_of_part(alike, "<path class=\"reference\""), 2u);
  EXPECT_TRUE(says(alike, "<span>before training</span>"));
}

TEST_F(GeometrySections, TellTheBoundsOfTheLoss) {
  GroupSummary& cold = add("minilm", "0.01");
  cold.bounds = {0.0001234, 0.5};
  cold.geometry[0].layers = {{"norm", Band(), band_of({0}, {1})}};
  Values steps, losses;
  for (int i = 0; i < 40; ++i) {
    steps.push_back(i);
    losses.push_back(i < 36 ? 9 : i - 35);  // the last tenth: 1, 2, 3, 4
  }
  cold.loss = band_of(steps, losses);
  add("minilm", "1").geometry[0].layers = cold.geometry[0].layers;
  const std::string html = section(add_geometry);
  EXPECT_TRUE(says(html, "<th scope=\"row\">temperature 0.01</th><td>0.0001234</td><td>0.5</td><td>2.5</td>"));
  EXPECT_EQ(html.find("<th scope=\"row\">temperature 1</th>"), std::string::npos);
}

}  // namespace

}  // namespace gausscse
