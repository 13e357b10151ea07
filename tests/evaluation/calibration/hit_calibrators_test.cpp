#include <nlohmann/json.hpp>

#include "base/philox.hpp"
#include "base/strict_json.hpp"
#include "evaluation/calibration/fit_calibration.hpp"
#include "inference/calibration/feature_shift.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

double logit_of(double similarity) {
  return std::log(similarity / (1 - similarity));
}

TEST(HitFeatures, AreMarginsOfLogitsAndTheHitItself) {
  const HitEvidence hit{
      .pair = {.forward = 0.8, .backward = 0.6, .log_var_difference = -0.25}, .second = 0.7, .last = 0.3};
  const double expected[] = {std::sqrt(logit_of(0.8) - logit_of(0.7)), logit_of(0.8) - logit_of(0.3), logit_of(0.8),
                             logit_of(0.6), -0.25};
  const PairFeatures x = features_of(hit, Similarity::joint);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], 1e-14) << i;
  const PairFeatures of_cosine = features_of(hit, Similarity::cosine);
  EXPECT_NEAR(of_cosine[0], std::sqrt(logit_of(0.9) - logit_of(0.85)), 1e-14);
  EXPECT_EQ(features_of({.pair = {.forward = 0.5}, .second = 0.5, .last = 0.5}, Similarity::joint)[0], 0);
}

/// Returns 600 hits, of which those with a large margin are right more often.
std::vector<LabelledHit> some_hits() {
  PhiloxStream random(8, 1);
  std::vector<LabelledHit> hits;
  for (std::size_t i = 0; i < 600; ++i) {
    LabelledHit& hit = hits.emplace_back();
    const double best = 0.4 + 0.5 * random.uniform(), margin = 0.1 * random.uniform();
    hit.evidence = {.pair = {.forward = best, .backward = 0.2 + 0.6 * random.uniform()},
                    .second = best - margin,
                    .last = best - margin - 0.2 * random.uniform()};
    hit.evidence.pair.log_var_difference = random.uniform();
    hit.right = random.uniform() < 0.2 + 7 * margin;
    hit.fitted = i % 2 == 0;
  }
  return hits;
}

/// The gradient of the mean loss and its penalty is 0 at the weights; the cuts are those of a sorted list.
TEST(HitCalibrators, AreFittedOnOneHalfAndCutOnTheOther) {
  const std::vector<LabelledHit> hits = some_hits();
  CalibrationNumbers set;
  set.similarity = Similarity::joint;
  set.set = "claims";
  set.rows = 77;
  const auto calibration = fit_hit_calibration(hits, set);
  ASSERT_TRUE(calibration);
  const CalibrationNumbers& numbers = calibration->numbers();
  EXPECT_TRUE(calibration->is_of_hits());
  EXPECT_EQ(numbers.rows, 77u);
  EXPECT_EQ(numbers.pairs, 600u);
  EXPECT_EQ(numbers.fitted, 300u);
  EXPECT_EQ(calibration->usual_calibrator(), Calibrator::logistic);
  std::vector<double> margins, gradient(6, 0);
  std::vector<std::uint8_t> right;
  for (const LabelledHit& hit : hits) {
    if (!hit.fitted) continue;
    const PairFeatures x = features_of(hit.evidence, Similarity::joint);
    margins.push_back(x[0]);
    right.push_back(hit.right);
    const double error = calibration->probability(hit.evidence, Calibrator::logistic) - (hit.right ? 1 : 0);
    for (std::size_t i = 0; i < 5; ++i)
      gradient[i] += error * (x[i] - numbers.logistic.mean[i]) / numbers.logistic.scale[i] / 300;
    gradient[5] += error / 300;
  }
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(gradient[i] + logistic_l2 * numbers.logistic.weight[i], 0, 1e-9) << i;
  EXPECT_NEAR(gradient[5], 0, 1e-9);
  EXPECT_EQ(numbers.entailed, static_cast<std::uint64_t>(std::count(right.begin(), right.end(), 1)));
  EXPECT_EQ(numbers.platt.slope, fit_platt(margins, right).slope);
  EXPECT_EQ(numbers.isotonic.logit, fit_isotonic(margins, right).logit);
  for (const auto& [calibrator, name] : names<Calibrator>) {
    const std::vector<RiskCut>& cuts = numbers.cuts[static_cast<std::size_t>(calibrator)];
    ASSERT_FALSE(cuts.empty()) << name;
    EXPECT_EQ(cuts.back().answered, 300u);
    for (const RiskCut& cut : cuts) {
      std::uint64_t answered = 0, wrong = 0;
      for (const LabelledHit& hit : hits) {
        if (hit.fitted || calibration->probability(hit.evidence, calibrator) < cut.confidence) continue;
        ++answered;
        wrong += hit.right ? 0 : 1;
      }
      EXPECT_EQ(cut.answered, answered) << name;
      EXPECT_EQ(cut.errors, wrong) << name;
    }
  }
  EXPECT_LT(numbers.cuts[1].back().confidence, 0.5) << "a hit that is probably wrong is never a confident answer";
}

TEST(HitCalibrators, NeedRightAndWrongHits) {
  for (const bool right : {false, true}) {
    std::vector<LabelledHit> hits = some_hits();
    for (LabelledHit& hit : hits) hit.right = hit.fitted ? right : hit.right;
    EXPECT_FALSE(fit_hit_calibration(hits, {}));
  }
  EXPECT_FALSE(fit_hit_calibration({}, {}));
}

TEST(HitCalibrationFile, GivesBackTheNumbersThatWereWritten) {
  CalibrationNumbers set;
  set.set = "claims";
  set.data_hash = "ab";
  set.rows = 77;
  const auto written = fit_hit_calibration(some_hits(), set);
  const nlohmann::json json = nlohmann::json::parse(written->text());
  EXPECT_EQ(json.at("format"), "gausscse-calibration/3");
  EXPECT_EQ(json.at("of"), "hits");
  EXPECT_EQ(json.at("rows"), 77);
  EXPECT_EQ(json.at("queries"), 600);
  EXPECT_EQ(json.at("right"), written->numbers().entailed);
  EXPECT_FALSE(json.contains("pairs") || json.contains("entailed") || json["cuts"].contains("direction"));
  const Calibration read = Calibration::parse(written->text(), "x");
  EXPECT_EQ(read.text(), written->text());
  EXPECT_TRUE(read.is_of_hits());
  EXPECT_EQ(read.numbers().cuts, written->numbers().cuts);
  EXPECT_EQ(read.probability(some_hits()[3].evidence), written->probability(some_hits()[3].evidence));
  const auto refusal_with = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json changed = json;
    changed[nlohmann::json::json_pointer(pointer)] = value;
    changed[check_member] = check_of(changed);
    return refusal_of([&] { Calibration::parse(changed.dump(), "c.json"); });
  };
  EXPECT_TRUE(says(refusal_with("/of", "pairs"), "\"of\" is not \"hits\""));
  EXPECT_TRUE(says(refusal_with("/rows", -1), "\"rows\" is not a whole number"));
  EXPECT_TRUE(says(refusal_with("/pairs", 600), "has a member that is not known"));
  EXPECT_TRUE(says(refusal_with("/format", "gausscse-calibration/2"), "\"pairs\" is missing"));
}

TEST(HitShift, IsThatOfTheColumnsOfHits) {
  CalibrationNumbers set;
  set.set = "claims";
  const std::vector<LabelledHit> hits = some_hits();
  const auto calibration = fit_hit_calibration(hits, set);
  FeatureShift same(*calibration, PairSelection::given), near(*calibration, PairSelection::given);
  for (const LabelledHit& hit : hits) {
    if (!hit.fitted) continue;
    same.add(hit.evidence);
    HitEvidence closer = hit.evidence;
    closer.second = closer.pair.forward;
    near.add(closer);
  }
  EXPECT_EQ(same.warning("claims.txt"), "");
  const std::string warning = near.warning("claims.txt");
  EXPECT_TRUE(says(warning, "claims.txt: 300 best hits unlike those of \"claims\""));
  EXPECT_TRUE(says(warning, "the root of the margin to the second hit is"));
  EXPECT_TRUE(says(warning, "gausscse eval MODEL --retrieval NAME=SET --save-calibration FILE"));
}

}  // namespace
}  // namespace gausscse
