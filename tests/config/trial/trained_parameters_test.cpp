#include "config/trial/trial_identity.hpp"
#include "tests/config/trial/minimal_trial.hpp"
#include "tests/support/testing.hpp"

// Tests of training.parameters: {from_layer: N} and of training.head_learning_rate; head_keys_test.cpp has those of
// training.parameters: head.

namespace gausscse {
namespace {

using Texts = std::vector<std::string>;

Trial trial_with(const Texts& overrides = {}) {
  return parse(std::string(minimal_trial), overrides);
}
std::string refusal_with(const Texts& overrides) {
  return refusal(std::string(minimal_trial), overrides);
}

TEST(TrainedLayers, AreReadAndPrinted) {
  Trial expected = trial_with();
  EXPECT_EQ(expected.training.from_layer, 0);
  EXPECT_NE(to_yaml(expected).find("  parameters: all\n"), std::string::npos);
  expected.training.parameters = setting::TrainedParameters::from_layer;
  expected.training.from_layer = 3;
  for (const Texts& keys : std::vector<Texts>{{"training.parameters={from_layer: 3}"},
                                              {"training.parameters.from_layer=3"},
                                              {"training.parameters={\"from_layer\": 3}"}}) {
    const Trial trial = trial_with(keys);
    EXPECT_EQ(trial, expected) << keys.front();
    EXPECT_NE(to_yaml(trial).find("  parameters: {from_layer: 3}\n"), std::string::npos) << to_yaml(trial);
    EXPECT_EQ(parse(to_yaml(trial)), expected);
  }
  EXPECT_EQ(parse(with("training: {parameters: {from_layer: 3}}")), expected);
  // A word in place of the map forgets the number.
  EXPECT_EQ(parse(with("training: {parameters: {from_layer: 3}}"), {"training.parameters=all"}), trial_with());
}

TEST(TrainedLayers, AreNamedByOneNumber) {
  const std::string allowed = "(allowed: all, head, or {from_layer: N}, N an integer from 0 to 1000)";
  for (const auto& [value, problem] : std::vector<std::pair<std::string, std::string>>{
           {"{from_layer: -1}", "\"-1\" is out of range"},
           {"{from_layer: 1001}", "\"1001\" is out of range"},
           {"{from_layer: 1.5}", "\"1.5\" is not an integer"},
           {"{from_layer: last}", "\"last\" is not an integer"},
           {"{layer: 3}", "the map is not {from_layer: N}"},
           {"{from_layer: 3, to_layer: 4}", "the map is not {from_layer: N}"},
           {"{}", "the map is not {from_layer: N}"},
           {"from_layer", "\"from_layer\" has no number: write {from_layer: 0} or another"},
           {"layers", "\"layers\" is not known"}}) {
    const std::string found = refusal_with({"training.parameters=" + value});
    EXPECT_TRUE(says_only(found, "training.parameters: " + problem)) << found;
    EXPECT_TRUE(says_only(found, allowed)) << found;
  }
}

/// Dropout, geometry and the longest sentence as divisor are refused for a head alone, and allowed here.
TEST(TrainedLayers, GoWithTheKeysOfAWholeTraining) {
  const std::string layers = "training.parameters={from_layer: 2}";
  EXPECT_EQ(refusal_with({layers, "training.dropout=0.2"}), "accepted");
  EXPECT_EQ(refusal(with("recipe: dynamics\ntasks: {g: {kind: geometry, files: g}}"), {layers}), "accepted");
  EXPECT_EQ(refusal_with({layers, "model.pooling=mean_without_first", "training.pooling_divisor=longest"}), "accepted");
  EXPECT_TRUE(
      says_only(refusal_with({layers, "training.precision=int8"}), "training.precision: int8 is for embedding"));
}

TEST(HeadLearningRate, IsTheOtherOneUnlessGiven) {
  const Trial plain = trial_with();
  EXPECT_EQ(plain.training.head_learning_rate, std::nullopt);
  EXPECT_NE(to_yaml(plain).find("  head_learning_rate: same\n"), std::string::npos);
  EXPECT_EQ(trial_with({"training.head_learning_rate=same"}), plain);
  const Trial trial = trial_with({"training.head_learning_rate=2.5e-3"});
  EXPECT_EQ(trial.training.head_learning_rate, 2.5e-3);
  EXPECT_EQ(parse(to_yaml(trial)), trial);
  for (const char* value : {"0", "-1e-5", ".inf", "other"})
    EXPECT_TRUE(says_only(refusal_with({concat("training.head_learning_rate=", value)}),
                          "(allowed: same, or a number above 0)"))
        << value;
}

/// A rate that nothing has is refused, and not printed.
TEST(HeadLearningRate, IsThatOfAHeadNextToLayers) {
  const std::string rate = "training.head_learning_rate=1e-3";
  const std::string problem =
      "training.head_learning_rate: goes with training.parameters all or from_layer, and a head or a pair classifier "
      "only: remove it, or change that";
  EXPECT_TRUE(says_only(refusal_with({"training.parameters=head", rate}), problem));
  EXPECT_TRUE(says_only(refusal(with("recipe: dynamics"), {rate}), problem));
  EXPECT_EQ(to_yaml(trial_with({"training.parameters=head"})).find("head_learning_rate"), std::string::npos);
  EXPECT_EQ(refusal_with({"training.parameters={from_layer: 2}", rate}), "accepted");
  EXPECT_EQ(refusal(with("recipe: simcse"), {rate}), "accepted");
  EXPECT_EQ(refusal(with("recipe: liao"), {rate}), "accepted");
}

TEST(TrainedLayers, ArePartOfTheIdentity) {
  std::set<std::string> texts{identity_text(trial_with())};
  for (const Texts& keys : std::vector<Texts>{{"training.parameters={from_layer: 0}"},
                                              {"training.parameters={from_layer: 3}"},
                                              {"training.head_learning_rate=1e-3"},
                                              {"training.head_learning_rate=1e-4"}})
    EXPECT_TRUE(texts.insert(identity_text(trial_with(keys))).second) << keys.front();
  EXPECT_NE(identity_text(trial_with({"training.parameters={from_layer: 3}"}))
                .find("training: {parameters: {from_layer: 3}}"),
            std::string::npos);
}

}  // namespace
}  // namespace gausscse
