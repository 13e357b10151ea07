#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "inference/calibration/calibration.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

CalibrationNumbers sample_calibration() {
  CalibrationNumbers numbers;
  numbers.similarity = Similarity::joint;
  numbers.set = "dev";
  numbers.data_hash = "00112233445566778899aabbccddeeff";
  numbers.pairs = 1000;
  numbers.fitted = 510;
  numbers.entailed = 170;
  numbers.platt = {1.0 / 3, -0.1};
  numbers.logistic = {{1, 2, 3, 4, 0.5}, {0.1, 0.2, 0.3, 0.4, 0.6}, {-1, 1e-9, 2, 0, 5}, 7};
  numbers.isotonic = {{-2, 0.5, 3}, {0, 0.25, 0.75}};
  numbers.cuts = {std::vector<RiskCut>{{0.99, 100, 0}, {0.8, 400, 24}}, {{0.97, 90, 1}}, {}};
  numbers.direction_cuts = {{0.2, 90, 0}};
  return numbers;
}

TEST(CalibrationFile, GivesBackTheNumbersThatWereWritten) {
  const Calibration written(sample_calibration());
  const Calibration read = Calibration::parse(written.text(), "x");
  EXPECT_EQ(read.text(), written.text());
  const CalibrationNumbers& numbers = read.numbers();
  EXPECT_EQ(numbers.similarity, Similarity::joint);
  EXPECT_EQ(numbers.data_hash, "00112233445566778899aabbccddeeff");
  EXPECT_EQ(numbers.pairs, 1000u);
  EXPECT_EQ(numbers.fitted, 510u);
  EXPECT_EQ(numbers.entailed, 170u);
  EXPECT_EQ(numbers.platt.slope, 1.0 / 3);
  EXPECT_EQ(numbers.platt.intercept, -0.1);
  EXPECT_EQ(numbers.logistic.scale, (PairFeatures{0.1, 0.2, 0.3, 0.4, 0.6}));
  EXPECT_EQ(numbers.logistic.weight, (PairFeatures{-1, 1e-9, 2, 0, 5}));
  EXPECT_EQ(numbers.isotonic.logit, (std::vector<double>{-2, 0.5, 3}));
  EXPECT_EQ(numbers.isotonic.probability, (std::vector<double>{0, 0.25, 0.75}));
  EXPECT_EQ(numbers.cuts, sample_calibration().cuts);
  EXPECT_EQ(numbers.direction_cuts, sample_calibration().direction_cuts);
  EXPECT_EQ(read.confidence_at_risk(0.1), 0.8);
  EXPECT_EQ(read.confidence_at_risk(0.05), 0.99);
  EXPECT_EQ(read.confidence_at_risk(0.1, Calibrator::logistic), 0.97);
  EXPECT_EQ(read.confidence_at_risk(0.1, Calibrator::isotonic), std::nullopt);
  EXPECT_EQ(read.difference_at_risk(0.05), 0.2);
}

TEST(CalibrationFile, HasTheHashOfWeightsOnlyWhereItIsKnown) {
  const Calibration unknown(sample_calibration());
  EXPECT_EQ(unknown.text().find("\"weights\": \""), std::string::npos) << "as files of earlier versions are";
  EXPECT_EQ(Calibration::parse(unknown.text(), "x").numbers().weights, "");
  const Calibration known = unknown.with_weights("ab12");
  EXPECT_EQ(nlohmann::json::parse(known.text()).at("weights"), "ab12");
  EXPECT_EQ(Calibration::parse(known.text(), "x").numbers().weights, "ab12");
  EXPECT_EQ(known.with_weights("").text(), unknown.text());
}

/// A file of earlier versions: four columns, to which the cosine adds nothing.
TEST(CalibrationFile, OfTheFormerFormatGivesTheSameProbabilities) {
  nlohmann::json json = nlohmann::json::parse(Calibration(sample_calibration()).text());
  EXPECT_EQ(json.at("format"), "gausscse-calibration/2");
  json["format"] = "gausscse-calibration/1";
  for (const char* name : {"means", "scales", "weights"}) json["logistic"][name].erase(4);
  json[check_member] = check_of(json);
  const Calibration former = Calibration::parse(json.dump(), "c.json");
  PairEvidence pair{.forward = 0.75, .backward = 0.875, .log_var_difference = 0.5, .log_length_ratio = -0.25};
  const double x1 = std::log(3.0), x2 = std::log(7.0);
  const double score = -(x1 - 1) / 0.1 + 1e-9 * ((x2 - 2) / 0.2) + 2 * ((0.5 - 3) / 0.3) + 7;
  for (const auto& cosine : {std::optional<double>(), std::optional(-0.5), std::optional(0.875)}) {
    pair.cosine = cosine;
    EXPECT_NEAR(former.probability(pair, Calibrator::logistic), 1 / (1 + std::exp(-score)), 1e-15);
    EXPECT_DOUBLE_EQ(former.probability(pair), 1 / (1 + std::exp(0.1 - x1 / 3)));
  }
  const Calibration written_again = Calibration::parse(former.text(), "again");
  EXPECT_EQ(written_again.probability(pair, Calibrator::logistic), former.probability(pair, Calibrator::logistic));
}

TEST(CalibrationFile, IsReadFromTheFolderOfAModelOrOfItsRun) {
  const TemporaryFolder folder;
  EXPECT_FALSE(Calibration::of_model(folder.path()));
  write_bytes(folder / "calibration.json", Calibration(sample_calibration()).text());
  EXPECT_TRUE(Calibration::of_model(folder.path()));
}

/// Returns the refusal of the file with another value at `pointer`, and a check that fits.
std::string refusal_with(const char* pointer, const nlohmann::json& value) {
  nlohmann::json json = nlohmann::json::parse(Calibration(sample_calibration()).text());
  json[nlohmann::json::json_pointer(pointer)] = value;
  json[check_member] = check_of(json);
  return refusal_of([&] { Calibration::parse(json.dump(), "c.json"); });
}

TEST(CalibrationFile, IsReadStrictly) {
  const nlohmann::json none = nlohmann::json::array();
  EXPECT_TRUE(says(refusal_with("/format", "gausscse-calibration/4"), "c.json: \"format\" is not"));
  EXPECT_TRUE(says(refusal_with("/similarity", "cosin"), "\"similarity\" is \"cosin\", which is not known"));
  EXPECT_TRUE(says(refusal_with("/pairs", -1), "\"pairs\" is not a whole number"));
  EXPECT_TRUE(says(refusal_with("/set", 3), "\"set\" is not a text"));
  EXPECT_TRUE(says(refusal_with("/weights", 3), "\"weights\" is not a text"));
  EXPECT_TRUE(says(refusal_with("/platt/slope", "1"), "\"platt.slope\" is not a number"));
  EXPECT_TRUE(says(refusal_with("/platt/more", 1), "has a member that is not known"));
  EXPECT_TRUE(says(refusal_with("/more", 1), "has a member that is not known"));
  EXPECT_TRUE(says(refusal_with("/cuts/more", none), "has a member that is not known"));
  EXPECT_TRUE(says(refusal_with("/logistic/means", {1, 2, 3}), "\"logistic.means\" has 3 numbers, not 5"));
  EXPECT_TRUE(says(refusal_with("/logistic/weights", {1, 2, 3, 4}), "\"logistic.weights\" has 4 numbers, not 5"));
  EXPECT_TRUE(says(refusal_with("/format", "gausscse-calibration/1"), "\"logistic.means\" has 5 numbers, not 4"));
  EXPECT_TRUE(says(refusal_with("/logistic/scales/2", 0), "\"logistic.scales\" has a number that is not over 0"));
  EXPECT_TRUE(says(refusal_with("/isotonic/logits/1", 5), "\"isotonic.logits\" does not rise"));
  EXPECT_TRUE(says(refusal_with("/isotonic/probabilities/2", 1.5), "falls, or is not in 0 to 1"));
  EXPECT_TRUE(says(refusal_with("/isotonic/probabilities/2", 0.1), "falls, or is not in 0 to 1"));
  EXPECT_TRUE(says(refusal_with("/isotonic/probabilities", none), "has no numbers"));
  EXPECT_TRUE(says(refusal_with("/cuts/platt/1/1", 100), "\"cuts.platt\" is not a list of falling confidences"));
  EXPECT_TRUE(says(refusal_with("/cuts/platt/1/0", 0.995), "\"cuts.platt\" is not a list of falling confidences"));
  EXPECT_TRUE(says(refusal_with("/cuts/platt/1/2", 401), "\"cuts.platt\" is not a list of falling confidences"));
  EXPECT_TRUE(says(refusal_with("/cuts/direction/0", {1, 2}), "\"cuts.direction\" has an entry that is not"));
  EXPECT_TRUE(says(refusal_with("/cuts/isotonic", 1), "\"cuts.isotonic\" is not a list"));
}

TEST(CalibrationFile, RefusesDamageAndMissingMembers) {
  std::string text = Calibration(sample_calibration()).text();
  const std::size_t place = text.find("\"pairs\": 1000");
  ASSERT_NE(place, std::string::npos);
  text.replace(place, 13, "\"pairs\": 1001");
  EXPECT_TRUE(says(refusal_of([&] { Calibration::parse(text, "c.json"); }), "c.json: \"check\" does not fit the rest"));
  EXPECT_TRUE(says(refusal_of([] { Calibration::parse("{}", "c.json"); }), "\"format\" is missing"));
  EXPECT_TRUE(says(refusal_of([] { Calibration::parse("[]", "c.json"); }), "is not an object"));
  EXPECT_TRUE(says(refusal_of([] { Calibration::parse("{", "c.json"); }), "c.json:1"));
  EXPECT_TRUE(says(refusal_of([] { Calibration::read("/nowhere/c.json"); }), "/nowhere/c.json"));
}

}  // namespace
}  // namespace gausscse
