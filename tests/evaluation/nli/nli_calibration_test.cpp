#include "evaluation/nli/nli_calibration.hpp"

#include "base/content_hash.hpp"
#include "evaluation/calibration/fit_calibration.hpp"
#include "evaluation/calibration/probability_metrics.hpp"
#include "tests/evaluation/nli/nli_task_fixture.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using namespace nli_task;  // the pairs and their metrics

class NliCalibration : public NliTaskTest {
 protected:
  /// Returns a task of the ten pairs, of which the seventh has no gold label.
  NliTask ten_pairs(const std::string& threshold, Similarity similarity, const ReadingSettings& reading = {}) {
    std::string text;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const char* label = pairs[i].label == entailment ? "entailment"
                          : pairs[i].label == neutral  ? "neutral"
                                                       : "contradiction";
      text += concat("{\"gold_label\": \"", i == unlabelled ? "-" : label, "\", \"sentence1\": \"", pairs[i].premise,
                     "\", \"sentence2\": \"", pairs[i].hypothesis, "\"}\n");
    }
    NliTaskSettings settings;
    settings.file = file(text);
    settings.threshold = threshold;
    settings.no_gold_label = setting::NoGoldLabel::drop;
    return NliTask("ten", settings, model_to_read_for(tokenizer_, 64, 64, {.similarity = similarity}), reading);
  }

  static PairEvidence evidence(const Pair& pair, Similarity kind) {
    return {similarity_of(pair.of_hypothesis, pair.of_premise, kind),
            similarity_of(pair.of_premise, pair.of_hypothesis, kind),
            (pair.of_hypothesis.log_var[0] + pair.of_hypothesis.log_var[1] - pair.of_premise.log_var[0] -
             pair.of_premise.log_var[1]) /
                2,
            std::log(static_cast<double>(pair.hypothesis.size()) / static_cast<double>(pair.premise.size())),
            cosine_of_means(pair.of_premise.mean, pair.of_hypothesis.mean)};
  }

  static double cosine_of_means(const std::array<double, dimension>& a, const std::array<double, dimension>& b) {
    return (a[0] * b[0] + a[1] * b[1]) / std::sqrt((a[0] * a[0] + a[1] * a[1]) * (b[0] * b[0] + b[1] * b[1]));
  }

  /// Returns whether the calibrators should be fitted on each pair: every second premise in the order of hashes.
  static std::vector<bool> fitted_half() {
    std::set<std::string> hashes;
    for (const Pair& pair : pairs) hashes.insert(content_hash_of(pair.premise));
    std::vector<bool> fitted;
    for (const Pair& pair : pairs)
      fitted.push_back(std::distance(hashes.begin(), hashes.find(content_hash_of(pair.premise))) % 2 == 0);
    return fitted;
  }

  static constexpr std::size_t unlabelled = 6;
};

TEST_F(NliCalibration, OfASetIsFittedOnHalfOfItsPremisesAndMeasuredOnTheOther) {
  for (const Similarity kind : {Similarity::per_dimension, Similarity::joint}) {
    const NliTask own = ten_pairs("own", kind);
    const Measurement result = own.score(embeddings(own, pairs), {});
    ASSERT_FALSE(result.calibration.empty());
    const Calibration calibration = Calibration::parse(result.calibration, "the measurement");
    const std::vector<bool> fitted = fitted_half();
    std::vector<LabelledEvidence> labelled;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (i != unlabelled)
        labelled.push_back(
            {evidence(pairs[i], kind), pairs[i].label == entailment, pairs[i].label == entailment, fitted[i]});
    CalibrationNumbers set;
    set.similarity = kind;
    const auto expected = fit_calibration(labelled, set);
    ASSERT_TRUE(expected);
    const CalibrationNumbers &found = calibration.numbers(), &wanted = expected->numbers();
    EXPECT_EQ(found.set, "ten");
    EXPECT_EQ(found.similarity, kind);
    EXPECT_EQ(found.pairs, 9u);
    EXPECT_EQ(found.fitted, wanted.fitted);
    EXPECT_EQ(found.entailed, wanted.entailed);
    EXPECT_NEAR(found.platt.slope, wanted.platt.slope, 1e-4);
    EXPECT_NEAR(found.platt.intercept, wanted.platt.intercept, 1e-4);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(found.logistic.mean[i], wanted.logistic.mean[i], 1e-5) << i;
      EXPECT_NEAR(found.logistic.scale[i], wanted.logistic.scale[i], 1e-5) << i;
      EXPECT_NEAR(found.logistic.weight[i], wanted.logistic.weight[i], 1e-2 * std::abs(wanted.logistic.weight[i])) << i;
    }
    ASSERT_FALSE(found.direction_cuts.empty());
    EXPECT_EQ(found.direction_cuts.back().answered, wanted.direction_cuts.back().answered);
    EXPECT_EQ(found.direction_cuts.back().errors, wanted.direction_cuts.back().errors);

    std::vector<double> p;
    std::vector<std::uint8_t> entailed;
    std::vector<Pair> measured;
    std::vector<std::int64_t> premises;  // numbers of equal ones are equal
    const auto probability = column<double>(result, "probability");
    const auto calibrated_on = column<std::uint8_t>(result, "calibrated_on");
    ASSERT_EQ(probability.size(), pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_NEAR(probability[i], expected->probability(evidence(pairs[i], kind)), 1e-4) << i;
      EXPECT_EQ(calibrated_on[i] != 0, fitted[i] && i != unlabelled) << i;
      if (i == unlabelled || fitted[i]) continue;
      p.push_back(probability[i]);
      const auto same = std::find_if(measured.begin(), measured.end(),
                                     [&](const Pair& each) { return each.premise == pairs[i].premise; });
      premises.push_back(same - measured.begin());
      measured.push_back(pairs[i]);
      entailed.push_back(pairs[i].label == entailment);
    }
    EXPECT_DOUBLE_EQ(metric(result, "platt.auprc"), area_of(measured, p, p));
    EXPECT_DOUBLE_EQ(metric(result, "platt.accuracy"), accuracy_of(measured, p, 0.5));
    EXPECT_DOUBLE_EQ(metric(result, "platt.nll"), negative_log_likelihood(p, entailed));
    EXPECT_DOUBLE_EQ(metric(result, "platt.brier"), brier_score(p, entailed));
    EXPECT_DOUBLE_EQ(metric(result, "platt.ece"), expected_calibration_error(p, entailed));
    const CalibrationError error =
        calibration_errors(std::vector<std::vector<double>>{p}, entailed, ItemClusters(premises), 1).at(0);
    EXPECT_DOUBLE_EQ(metric(result, "platt.ece_debiased"), error.debiased);
    EXPECT_DOUBLE_EQ(metric(result, "platt.ece_null"), error.null);
    EXPECT_DOUBLE_EQ(metric(result, "platt.ece_low"), error.interval.low);
    EXPECT_DOUBLE_EQ(metric(result, "platt.ece_high"), error.interval.high);
    EXPECT_DOUBLE_EQ(metric(result, "platt.aurc"), area_under_risk_coverage(either_answers(p, entailed)));
    EXPECT_DOUBLE_EQ(metric(result, "platt.coverage_5"), coverage_at_risk(either_answers(p, entailed), 0.05));
    EXPECT_DOUBLE_EQ(metric(result, "platt.coverage_10"), coverage_at_risk(either_answers(p, entailed), 0.1));
    EXPECT_EQ(metric(result, "platt.answered_5"), 0) << "so few pairs promise nothing";
    EXPECT_TRUE(std::isnan(metric(result, "platt.error_5")));
  }
}

/// Returns a calibration by which 5 % of errors are promised from a confidence of 0.6 on, 10 % from 0.55.
Calibration made_up_calibration(Similarity similarity) {
  CalibrationNumbers numbers;
  numbers.similarity = similarity;
  numbers.set = "other";
  numbers.platt = {2, -0.5};
  numbers.logistic = {{0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}, {1, -0.5, 0.25, -0.75, 1.5}, 0.125};
  numbers.isotonic = {{-1, 0.5}, {0.25, 0.75}};
  for (std::vector<RiskCut>& cuts : numbers.cuts) cuts = {{0.6, 100, 0}, {0.55, 200, 12}};
  numbers.direction_cuts = {{0.05, 100, 0}, {0.01, 200, 12}};
  return Calibration(numbers);
}

TEST_F(NliCalibration, IsThatOfTheTaskThatGivesTheThreshold) {
  const Similarity kind = Similarity::per_dimension;
  const Calibration calibration = made_up_calibration(kind);
  const NliTask test = ten_pairs("other", kind, {.calibration = made_up_calibration(Similarity::joint)});
  Measurement other{"other", "nli", true, {{"threshold", 0.5, Unit::number}}, {}, ""};
  other.calibration = calibration.text();
  const Measurement result = test.score(embeddings(test, pairs), {other});
  EXPECT_TRUE(result.calibration.empty());
  EXPECT_EQ(column<std::uint8_t>(result, "calibrated_on"), std::vector<std::uint8_t>(10, 0));
  const auto probability = column<double>(result, "probability");
  std::vector<Pair> measured;
  std::vector<double> p_of_platt, p_of_logistic;
  double squares = 0, answered = 0, wrong = 0, directed = 0, directions = 0, wrong_directions = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const PairEvidence of_pair = evidence(pairs[i], kind);
    const double x1 = std::log(of_pair.forward / (1 - of_pair.forward)),
                 x2 = std::log(of_pair.backward / (1 - of_pair.backward)), p = 1 / (1 + std::exp(0.5 - 2 * x1)),
                 logistic = 1 / (1 + std::exp(-(x1 - 0.5 * x2 + 0.25 * of_pair.log_var_difference -
                                                0.75 * *of_pair.log_length_ratio + 1.5 * *of_pair.cosine + 0.125)));
    EXPECT_NEAR(probability[i], p, 1e-5) << i;
    if (i == unlabelled) continue;
    const bool entailed = pairs[i].label == entailment;
    measured.push_back(pairs[i]);
    p_of_platt.push_back(p);
    p_of_logistic.push_back(logistic);
    squares += std::pow(logistic - (entailed ? 1 : 0), 2) / 9;
    if (std::max(p, 1 - p) >= 0.6) {
      ++answered;
      wrong += (p >= 0.5) != entailed;
    }
    if (!entailed) continue;
    ++directed;
    if (std::abs(of_pair.forward - of_pair.backward) < 0.05) continue;
    ++directions;
    wrong_directions += of_pair.forward < of_pair.backward;
  }
  EXPECT_NEAR(metric(result, "logistic.brier"), squares, 1e-6);
  EXPECT_NE(accuracy_of(measured, p_of_logistic, 0.5), accuracy_of(measured, p_of_platt, 0.5));
  for (const auto& [name, p] : {std::pair{"logistic", p_of_logistic}, {"platt", p_of_platt}}) {
    EXPECT_DOUBLE_EQ(metric(result, concat(name, ".auprc").c_str()), area_of(measured, p, p)) << name;
    EXPECT_DOUBLE_EQ(metric(result, concat(name, ".accuracy").c_str()), accuracy_of(measured, p, 0.5)) << name;
  }
  ASSERT_GT(answered, 0);
  EXPECT_DOUBLE_EQ(metric(result, "platt.answered_5"), answered / 9);
  EXPECT_DOUBLE_EQ(metric(result, "platt.error_5"), wrong / answered);
  ASSERT_GT(directions, 0);
  EXPECT_DOUBLE_EQ(metric(result, "direction_sim.answered_5"), directions / directed);
  EXPECT_DOUBLE_EQ(metric(result, "direction_sim.error_5"), wrong_directions / directions);
  EXPECT_GE(metric(result, "platt.answered_10"), answered / 9);
}

TEST_F(NliCalibration, IsTheModelsWhereTheThresholdIsANumber) {
  const Similarity kind = Similarity::per_dimension;
  const NliTask with = ten_pairs("0.5", kind, {.calibration = made_up_calibration(kind)});
  const auto probability = column<double>(with.score(embeddings(with, pairs), {}), "probability");
  EXPECT_NEAR(probability[3], made_up_calibration(kind).probability(evidence(pairs[3], kind)), 1e-5);
  const NliTask without = ten_pairs("0.5", kind);
  const Measurement result = without.score(embeddings(without, pairs), {});
  EXPECT_EQ(find_column<std::vector<double>>(result, "probability"), nullptr);
  EXPECT_EQ(find_metric(result.metrics, "platt.nll"), nullptr);
}

/// P is high or low only, so that a curve of 1,001 thresholds and one of a point at each P differ by their points'
/// ends.
TEST_F(NliCalibration, SumsTheAreaAsTheScoringSays) {
  const Similarity kind = Similarity::per_dimension;
  ReadingSettings reading{.calibration = made_up_calibration(kind)};
  std::vector<double> areas;
  std::vector<double> thresholds;
  for (int k = 0; k <= 1000; ++k) thresholds.push_back(k / 1000.0);
  for (const auto auprc : {setting::Auprc::sweep, setting::Auprc::trapezoid}) {
    reading.scoring.auprc = auprc;
    const NliTask task = ten_pairs("0.5", kind, reading);
    const Measurement result = task.score(embeddings(task, pairs), {});
    std::vector<double> p = column<double>(result, "probability");
    std::vector<Pair> measured = pairs;
    p.erase(p.begin() + unlabelled);
    measured.erase(measured.begin() + unlabelled);
    EXPECT_DOUBLE_EQ(metric(result, "platt.auprc"),
                     area_of(measured, p, auprc == setting::Auprc::sweep ? thresholds : p));
  }
}

TEST_F(NliCalibration, OfCosinesHasNoDirection) {
  const NliTask own = ten_pairs("own", Similarity::cosine);
  const Measurement result = own.score(embeddings(own, pairs), {});
  const auto cosines = column<float>(result, "sim_hypothesis_premise");
  const Calibration calibration = Calibration::parse(result.calibration, "the measurement");
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double share = (1 + static_cast<double>(cosines[i])) / 2;
    const double score =
        calibration.numbers().platt.slope * std::log(share / (1 - share)) + calibration.numbers().platt.intercept;
    EXPECT_NEAR(column<double>(result, "probability")[i], 1 / (1 + std::exp(-score)), 1e-6) << i;
  }
  EXPECT_TRUE(calibration.numbers().direction_cuts.empty());
  EXPECT_EQ(calibration.numbers().logistic.mean[4], 0) << "the cosine is the similarity, and no column besides";
  EXPECT_EQ(find_metric(result.metrics, "direction_sim.answered_5"), nullptr);
  EXPECT_NE(find_metric(result.metrics, "isotonic.ece"), nullptr);
}

TEST_F(NliCalibration, HashesTextsAndLabels) {
  const auto hash_of = [&](const char* label, const char* hypothesis) {
    NliTaskSettings settings;
    settings.file =
        file(concat("{\"gold_label\": \"entailment\", \"sentence1\": \"a\", \"sentence2\": \"b\"}\n",
                    "{\"gold_label\": \"", label, "\", \"sentence1\": \"c\", \"sentence2\": \"", hypothesis, "\"}\n"));
    return NliTask("x", settings, model_to_read_for(tokenizer_, 64, 64), {}).pairs().content_hash;
  };
  const std::string expected("a\0b\0entailment\nc\0d\0neutral\n", 27);
  EXPECT_EQ(hash_of("neutral", "d"), content_hash_of(expected));
  EXPECT_NE(hash_of("contradiction", "d"), content_hash_of(expected));
  EXPECT_NE(hash_of("neutral", "e"), content_hash_of(expected));
}

}  // namespace
}  // namespace gausscse
