#include "base/content_hash.hpp"
#include "base/philox.hpp"
#include "base/strict_json.hpp"
#include "evaluation/calibration/fit_calibration.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using EntailedFlags = std::vector<std::uint8_t>;
using LogitValues = std::vector<double>;

JsonDocument calibration_golden() {
  return read_strict_json(golden("calibration/cases.json"));
}

struct FitCase {
  std::vector<PairEvidence> evidence;
  std::vector<PairFeatures> columns;
  LogitValues logits;
  EntailedFlags entailed;
};

FitCase fit_case(const nlohmann::json& json) {
  FitCase each;
  for (std::size_t i = 0; i < json.at("forward").size(); ++i) {
    each.evidence.push_back({json.at("forward")[i], json.at("backward")[i], json.at("log_var_difference")[i],
                             json.at("log_length_ratio")[i].get<double>(), json.at("cosine")[i].get<double>()});
    each.columns.push_back(features_of(each.evidence.back(), Similarity::per_dimension));
    each.logits.push_back(each.columns.back().front());
  }
  each.entailed = json.at("entailed").get<EntailedFlags>();
  return each;
}

TEST(Calibrators, EqualScikitLearn) {
  const JsonDocument golden = calibration_golden();
  ASSERT_EQ(golden->at("fits").size(), 6u);
  for (const nlohmann::json& json : golden->at("fits")) {
    SCOPED_TRACE(json.at("forward").size());
    const FitCase each = fit_case(json);
    CalibrationNumbers numbers;
    numbers.platt = fit_platt(each.logits, each.entailed);
    numbers.logistic = fit_logistic(each.columns, each.entailed);
    numbers.isotonic = fit_isotonic(each.logits, each.entailed);
    EXPECT_NEAR(numbers.platt.slope, json.at("platt")[0].get<double>(), 1e-6);
    EXPECT_NEAR(numbers.platt.intercept, json.at("platt")[1].get<double>(), 1e-6);
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_NEAR(numbers.logistic.weight[i], json.at("logistic")[i].get<double>(), 1e-5) << i;
    EXPECT_NEAR(numbers.logistic.intercept, json.at("logistic")[5].get<double>(), 1e-5);
    const Calibration calibration(numbers);
    for (std::size_t i = 0; i < each.evidence.size(); ++i)
      for (const auto& [calibrator, name] : names<Calibrator>)
        EXPECT_NEAR(calibration.probability(each.evidence[i], calibrator),
                    json.at(std::string(name) + "_p")[i].get<double>(), 1e-6)
            << name << " of pair " << i;
    for (std::size_t i = 0; i < json.at("between").size(); ++i) {
      const double forward = 1 / (1 + std::exp(-json.at("between")[i].get<double>()));
      EXPECT_NEAR(calibration.probability({.forward = forward}, Calibrator::isotonic),
                  json.at("isotonic_between")[i].get<double>(), 1e-6)
          << i;
    }
  }
}

TEST(Calibrators, TakeCosinesAsSharesAndClipTheEnds) {
  EXPECT_DOUBLE_EQ(similarity_logit(0.25, Similarity::joint), std::log(0.25 / 0.75));
  EXPECT_DOUBLE_EQ(similarity_logit(-0.5, Similarity::cosine), std::log(0.25 / 0.75));
  EXPECT_DOUBLE_EQ(similarity_logit(0, Similarity::cosine), 0);
  for (const double certain : {1.0, 1 - 1e-9})
    EXPECT_NEAR(similarity_logit(certain, Similarity::per_dimension), std::log((1 - 1e-7) / 1e-7), 1e-6);
  EXPECT_NEAR(similarity_logit(-1, Similarity::cosine), -std::log((1 - 1e-7) / 1e-7), 1e-6);
}

TEST(Calibrators, CountAnEmptySentenceAsOneCharacter) {
  EXPECT_DOUBLE_EQ(log_length_ratio_of(10, 5), std::log(0.5));
  EXPECT_DOUBLE_EQ(log_length_ratio_of(0, 5), std::log(5.0));
  EXPECT_DOUBLE_EQ(log_length_ratio_of(5, 0), -std::log(5.0));
  EXPECT_DOUBLE_EQ(log_length_ratio_of(0, 0), 0);
}

TEST(Calibrators, TakeTheMeanForALengthOrACosineThatIsNotKnown) {
  CalibrationNumbers numbers;
  numbers.logistic = {{0, 0, 0, -0.75, 0.5}, {1, 1, 1, 2, 0.25}, {0, 0, 0, 3, 2}, 0.5};
  const Calibration calibration(numbers);
  EXPECT_DOUBLE_EQ(calibration.probability({.forward = 0.5, .backward = 0.5}, Calibrator::logistic),
                   1 / (1 + std::exp(-0.5)));
  EXPECT_DOUBLE_EQ(
      calibration.probability({.forward = 0.5, .backward = 0.5, .log_length_ratio = 0.25}, Calibrator::logistic),
      1 / (1 + std::exp(-2.0)));
  EXPECT_DOUBLE_EQ(calibration.probability({.forward = 0.5, .backward = 0.5, .cosine = 0.75}, Calibrator::logistic),
                   1 / (1 + std::exp(-2.5)));
}

TEST(Calibrators, FindAFiniteSlopeWhereAllSimilaritiesAreEqual) {
  const LogitValues logits(8, 1.5);
  const EntailedFlags entailed = {1, 1, 0, 0, 0, 0, 0, 0};
  const PlattFit fit = fit_platt(logits, entailed);
  const double share = (2 * (3.0 / 4) + 6 * (1.0 / 8)) / 8;  // the mean of the targets
  EXPECT_NEAR(1 / (1 + std::exp(-(1.5 * fit.slope + fit.intercept))), share, 1e-8);
}

/// Returns 400 pairs of 100 premises; every second premise is fitted.
std::vector<LabelledEvidence> some_pairs() {
  PhiloxStream random(5, 0);
  std::vector<LabelledEvidence> pairs;
  for (std::size_t i = 0; i < 400; ++i) {
    LabelledEvidence& pair = pairs.emplace_back();
    pair.entailed = random.uniform() < 0.4;
    pair.directed = pair.entailed && i % 8 != 0;
    pair.fitted = i / 4 % 2 == 0;
    pair.evidence.forward = 0.2 + 0.3 * random.uniform() + (pair.entailed ? 0.3 : 0);
    pair.evidence.backward = 0.2 + 0.6 * random.uniform();
    pair.evidence.log_length_ratio = random.uniform();
  }
  return pairs;
}

TEST(Calibrators, AreFittedOnOneHalfAndCutOnTheOther) {
  std::vector<LabelledEvidence> pairs = some_pairs();
  // Equal similarities have no direction: an answer to them is wrong.
  for (std::size_t i = 5; i < pairs.size(); i += 8) pairs[i].evidence.backward = pairs[i].evidence.forward;
  CalibrationNumbers set;
  set.set = "dev";
  const auto calibration = fit_calibration(pairs, set);
  ASSERT_TRUE(calibration);
  LogitValues logits;
  EntailedFlags entailed;
  std::size_t directed = 0, turned = 0, equal = 0;
  for (const LabelledEvidence& pair : pairs) {
    if (!pair.fitted && pair.directed) {
      ++directed;
      turned += pair.evidence.forward < pair.evidence.backward;
      equal += pair.evidence.forward == pair.evidence.backward;
    }
    if (!pair.fitted) continue;
    logits.push_back(similarity_logit(pair.evidence.forward, Similarity::per_dimension));
    entailed.push_back(pair.entailed);
  }
  const CalibrationNumbers& numbers = calibration->numbers();
  EXPECT_EQ(numbers.platt.slope, fit_platt(logits, entailed).slope);
  EXPECT_EQ(numbers.pairs, 400u);
  EXPECT_EQ(numbers.fitted, 200u);
  EXPECT_EQ(numbers.entailed, static_cast<std::uint64_t>(std::count(entailed.begin(), entailed.end(), 1)));
  EXPECT_EQ(numbers.set, "dev");
  for (const auto& [calibrator, name] : names<Calibrator>) {
    std::uint64_t wrong = 0;
    for (const LabelledEvidence& pair : pairs)
      wrong += !pair.fitted && (calibration->probability(pair.evidence, calibrator) >= 0.5) != pair.entailed;
    const std::vector<RiskCut>& cuts = numbers.cuts[static_cast<std::size_t>(calibrator)];
    ASSERT_FALSE(cuts.empty());
    EXPECT_EQ(cuts.back().answered, 200u) << name;
    EXPECT_EQ(cuts.back().errors, wrong) << name;
  }
  ASSERT_FALSE(numbers.direction_cuts.empty());
  EXPECT_EQ(numbers.direction_cuts.back().answered, directed);
  EXPECT_EQ(numbers.direction_cuts.back().errors, turned + equal);
  EXPECT_GT(turned, 0u);
  EXPECT_GT(equal, 0u);
}

TEST(Calibrators, NeedBothKindsOfPairs) {
  std::vector<LabelledEvidence> pairs = some_pairs();
  for (LabelledEvidence& pair : pairs)
    if (pair.fitted) pair.entailed = true;
  EXPECT_FALSE(fit_calibration(pairs, {}));
  for (LabelledEvidence& pair : pairs)
    if (pair.fitted) pair.entailed = false;
  EXPECT_FALSE(fit_calibration(pairs, {}));
  for (LabelledEvidence& pair : pairs) pair.fitted = false;
  EXPECT_FALSE(fit_calibration(pairs, {}));
  EXPECT_FALSE(fit_calibration({}, {}));
}

TEST(Calibrators, DividePairsByTheTextOfThePremise) {
  std::vector<std::string> texts;
  for (int i = 0; i < 7; ++i) texts.push_back("premise " + std::to_string(i));
  const std::vector<std::uint32_t> premise = {3, 3, 5, 1, 0, 5, 6};  // 2 and 4 are hypotheses
  std::set<std::string> hashes;
  for (const std::uint32_t number : premise) hashes.insert(content_hash_of(texts[number]));
  const std::vector<bool> fitted = fitted_pairs(texts, premise);
  ASSERT_EQ(fitted.size(), premise.size());
  for (std::size_t i = 0; i < premise.size(); ++i) {
    const auto place = std::distance(hashes.begin(), hashes.find(content_hash_of(texts[premise[i]])));
    EXPECT_EQ(fitted[i], place % 2 == 0) << i;
  }
}

}  // namespace
}  // namespace gausscse
