#include "experiments/report/sections/report_sections.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

HeadlineMetric metric_of(const std::string& name, double value, const std::string& text) {
  HeadlineMetric metric{name, {}, setting::CellInterval::none};
  metric.cell.value = value;
  metric.cell.text = text;
  metric.cell.count = 5;
  return metric;
}

Headline made_up_headline() {
  Headline headline;
  headline.stage = "final";
  headline.settings = 3;
  headline.best = {"ent<con>"};
  headline.trials = 5;
  headline.metrics = {metric_of("dev.auprc", 0.7283, "72.83"), metric_of("snli.accuracy", 0.8178, "81.78"),
                      metric_of("tokens.norm", 2.5, "2.5000")};
  headline.metrics[0].cell.low = 0.712;
  headline.metrics[0].cell.high = 0.7446;
  headline.metrics[0].interval = setting::CellInterval::t;
  headline.metrics[2].cell.unit = Unit::number;
  headline.baselines = "Without a model: dev.auprc 33.33.";
  return headline;
}

StudyTrial trial_with_status(std::int64_t seed, TrialStatus status) {
  StudyTrial trial;
  trial.planned = {"final", {{"system", "ent"}}, seed, "", ""};
  trial.status = status;
  return trial;
}

StudyTrial done_at_step(std::int64_t seed, std::int64_t step) {
  StudyTrial trial = trial_with_status(seed, TrialStatus::done);
  trial.run.emplace().steps = 8;
  trial.kept.state = "best";
  trial.kept.step = step;
  return trial;
}

std::string headline_html(const std::optional<Headline>& headline, std::vector<StudyTrial> trials) {
  const StudyResults study{"/nowhere", "study", std::move(trials)};
  const ReportData data;
  HtmlWriter page;
  add_headline(page, {study, data, "", {}, {}, headline});
  return page.take();
}

TEST(HeadlineSection, NamesTheBestSettingItsMetricAndItsInterval) {
  const std::string html = headline_html(made_up_headline(), {done_at_step(0, 4)});
  EXPECT_TRUE(says(html,
                   "<p class=\"lead\">Best setting: <strong>ent&lt;con&gt;</strong>, of 3 settings of the stage final, "
                   "by AUPRC of dev: <strong>72.83 %</strong> (95% interval 71.20 to 74.46, Student&#39;s t over 5 "
                   "trials).</p>"))
      << html;
  EXPECT_TRUE(says(html, "<caption>Metrics of ent&lt;con&gt;, mean over 5 trials</caption>"));
  EXPECT_TRUE(says(html,
                   "<th scope=\"row\">AUPRC of dev, %</th><td>72.83</td><td>-</td><td>71.20 to 74.46</td>"
                   "<td>Student&#39;s t over 5 trials</td>"));
  EXPECT_TRUE(says(html, "<th scope=\"row\">accuracy of snli, %</th><td>81.78</td><td>-</td><td>-</td><td>-</td>"));
  EXPECT_TRUE(says(html, "<th scope=\"row\">norm of tokens</th><td>2.5000</td><td>-</td><td>-</td><td>-</td>"));
  EXPECT_TRUE(says(html, "<li>AUPRC: area under the curve of precision and recall of entailments"));
  EXPECT_TRUE(says(html, "<li>Without a model: dev.auprc 33.33.</li>"));
  EXPECT_TRUE(says(html, "<strong class=\"good\">Failed:</strong> none.</li>"));
  EXPECT_TRUE(says(html, "<strong class=\"good\">Untrained:</strong> none.</li>"));
  EXPECT_FALSE(says(html, "Not done:"));
}

TEST(HeadlineSection, HasNoBestOfOneSettingOrOfEqualOnes) {
  Headline headline = made_up_headline();
  headline.best = {"a", "b"};
  EXPECT_TRUE(says(headline_html(headline, {done_at_step(0, 4)}),
                   ">2 of 3 settings of the stage final share the highest AUPRC of dev, among them <strong>a</strong>: "
                   "<strong>72.83 %</strong>"));
  headline.best = {"a", "b", "c"};
  EXPECT_TRUE(says(headline_html(headline, {done_at_step(0, 4)}),
                   ">All 3 settings of the stage final print the same AUPRC of dev: <strong>72.83 %</strong>"));
  headline.best = {"a"};
  headline.settings = 1;
  const std::string html = headline_html(headline, {done_at_step(0, 4)});
  EXPECT_TRUE(says(html, ">The only setting, <strong>a</strong>, has the AUPRC of dev <strong>72.83 %</strong>"));
  EXPECT_FALSE(says(html, "a little too high"));
}

TEST(HeadlineSection, NamesTheNextSettingAndItsTest) {
  Headline headline = made_up_headline();
  headline.second = RunnerUp{"a<b>", 0.0125, 0.25};
  EXPECT_TRUE(says(headline_html(headline, {done_at_step(0, 4)}),
                   "; the next one, a&lt;b&gt;, is 1.25 points behind, no significant difference (p = 0.25).</p>"));
  headline.second->p = 0.0125;
  EXPECT_TRUE(says(headline_html(headline, {done_at_step(0, 4)}), "behind, a significant difference (p = "));
  headline.second->p.reset();
  EXPECT_TRUE(
      says(headline_html(headline, {done_at_step(0, 4)}), "behind, which one seed cannot tell from chance.</p>"));
  headline.untrained = 1;
  EXPECT_FALSE(says(headline_html(headline, {done_at_step(0, 4)}), "the next one"));
}

TEST(HeadlineSection, NamesTheBackbonesMetricNextToTheSettings) {
  Headline headline = made_up_headline();
  headline.metrics[0].cell.backbone = "70.25";
  std::string html = headline_html(headline, {done_at_step(0, 4)});
  EXPECT_TRUE(says(html, "<p class=\"lead\">Best setting: "));
  EXPECT_TRUE(says(html, " over 5 trials); backbone <strong>70.25 %</strong>.</p>")) << html;
  EXPECT_TRUE(says(html, "AUPRC of dev, %</th><td>72.83</td><td>70.25</td><td>71.20 to 74.46</td>"));
  headline.metrics[0].cell.backbone = "72.84";
  html = headline_html(headline, {done_at_step(0, 4)});
  EXPECT_TRUE(says(html, "<p class=\"lead bad\">Best setting: "));
  EXPECT_TRUE(says(html, " over 5 trials), less than its backbone without training: <strong>72.84 %</strong>.</p>"));
}

TEST(HeadlineSection, PraisesNoUntrainedState) {
  Headline headline = made_up_headline();
  headline.untrained = 2;
  headline.metrics[1].cell.untrained = 2;
  const std::string html = headline_html(headline, {done_at_step(0, 4), done_at_step(1, 0), done_at_step(2, 0)});
  EXPECT_FALSE(says(html, "Best setting"));
  EXPECT_TRUE(
      says(html,
           "<p class=\"lead bad\">Training did not give the highest AUPRC of dev: <strong>72.83 %</strong> (95% "
           "interval 71.20 to 74.46, Student&#39;s t over 5 trials) is the mean of "
           "<strong>ent&lt;con&gt;</strong>, of which 2 of 5 trials kept the state before the first step.</p>"))
      << html;
  EXPECT_TRUE(says(html,
                   "<strong class=\"bad\">Untrained:</strong> 2 of 3 done trials kept the state before the first step, "
                   "as no later state was better: final ent seed 1, final ent seed 2. Tables mark their metrics with "
                   "\xE2\x80\xA1.</li>"));
  EXPECT_TRUE(says(html, "<td>81.78\xE2\x80\xA1</td>"));
  EXPECT_TRUE(says(html, "<td>72.83</td>"));
  EXPECT_TRUE(says(headline_html(headline, {done_at_step(1, 0)}),
                   "1 of 1 done trial kept the state before the first step, as no later state was better. Tables"));
}

TEST(HeadlineSection, EndsIntervalsWhereTheMetricDoes) {
  Headline headline = made_up_headline();
  headline.metrics = {metric_of("dev.auprc", 0.5, "50.00"), metric_of("sts.spearman", 0.5, "50.00")};
  for (HeadlineMetric& metric : headline.metrics) {
    metric.cell.low = -0.25;
    metric.cell.high = 1.25;
    metric.interval = setting::CellInterval::t;
  }
  const std::string html = headline_html(headline, {done_at_step(0, 4)});
  EXPECT_TRUE(says(html, "AUPRC of dev, %</th><td>50.00</td><td>-</td><td>0.00 to 100.00</td>")) << html;
  EXPECT_TRUE(says(html, "Spearman of sts, %</th><td>50.00</td><td>-</td><td>-25.00 to 100.00</td>")) << html;
}

TEST(HeadlineSection, SaysWhatFailedAndWhatIsNotDone) {
  std::vector<StudyTrial> trials{done_at_step(0, 4), trial_with_status(1, TrialStatus::failed),
                                 trial_with_status(2, TrialStatus::failed), trial_with_status(3, TrialStatus::running),
                                 trial_with_status(4, TrialStatus::planned)};
  trials[1].failure = FailureRecord{"exit code 1", "the loss is <nan>", {}, 1, 2, "node", ""};
  const std::string html = headline_html(std::nullopt, trials);
  EXPECT_TRUE(says(html, "<p class=\"lead\">No metric decides which setting is the best: none is a share"));
  EXPECT_TRUE(says(headline_html(std::nullopt, {trials[3]}), "<p class=\"lead\">No trial is done yet.</p>"));
  EXPECT_TRUE(says(html,
                   "<strong class=\"bad\">Failed:</strong> 2 of 5 trials: final ent seed 1, final ent seed 2. Cause of "
                   "the first: the loss is &lt;nan&gt;.</li>"))
      << html;
  EXPECT_TRUE(says(html, "<strong class=\"bad\">Not done:</strong> 1 planned, 1 running, of 5 trials.</li>"));
}

TEST(HeadlineSection, DatesTheResults) {
  StudyResults study{"/nowhere", "study", {done_at_step(0, 4), done_at_step(1, 4), done_at_step(2, 4)}};
  study.trials[0].run->ended = "2026-02-01T00:10:00Z";
  study.trials[1].run->ended = "2026-01-30T23:50:00Z";
  ReportData data;
  data.provenance = {{{"version", "0.4.0"}, {"commit", "abc"}},
                     {},
                     {{"version", "0.4.0"}, {"commit", "0123456789abcdef0123456789abcdef01234567-dirty"}}};
  HtmlWriter page;
  add_origin(page, {study, data, "", {}, {}});
  EXPECT_EQ(page.take(),
            "<p class=\"quiet\">Results of gausscse: version 0.4.0, commits abc, 0123456789ab-dirty, trials ended from "
            "2026-01-30 to 2026-02-01 (UTC).</p>\n");
}

}  // namespace

}  // namespace gausscse
