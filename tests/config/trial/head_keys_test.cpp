#include "config/trial/trial_identity.hpp"
#include "tests/config/trial/minimal_trial.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Texts = std::vector<std::string>;

Trial minimal(const Texts& overrides = {}) {
  return parse(std::string(minimal_trial), overrides);
}
std::string refusal_of_keys(const Texts& overrides) {
  return refusal(std::string(minimal_trial), overrides);
}

TEST(HeadKeys, AreReadAndPrinted) {
  Trial expected = minimal();
  EXPECT_EQ(expected.training.parameters, setting::TrainedParameters::all);
  EXPECT_EQ(static_cast<const HeadSettings&>(expected.model.head), HeadSettings{});
  EXPECT_EQ(expected.model.head.log_var_width, 256);
  expected.model.head = {{HeadKind::gaussian, MeanLayer::identity, MeanScale::unit, LogVarLayer::mlp, 96},
                         setting::HeadInit::identity,
                         -1.25};
  expected.training.parameters = setting::TrainedParameters::head;
  expected.training.precision = Precision::int8;
  const Trial trial =
      minimal({"model.head.mean=identity", "model.head.scale=unit", "model.head.log_var=mlp",
               "model.head.log_var_width=96", "model.head.init=identity", "model.head.log_var_start=-1.25",
               "training.parameters=head", "training.precision=int8"});
  EXPECT_EQ(trial, expected);
  const std::string yaml = to_yaml(trial);
  EXPECT_EQ(parse(yaml), expected) << yaml;
  EXPECT_EQ(minimal({"model.head.init=identity", "model.head.log_var_start=data"}).model.head.log_var_start,
            std::nullopt);
}

/// Keys without a bearing are not printed, and data is printed as the word.
TEST(HeadKeys, ArePrintedWhereTheyHaveABearing) {
  const std::string plain = to_yaml(minimal());
  EXPECT_NE(plain.find("scale: none"), std::string::npos);
  for (const char* key : {"log_var_width", "log_var_start"}) EXPECT_EQ(plain.find(key), std::string::npos) << key;
  EXPECT_NE(to_yaml(minimal({"model.head.init=identity"})).find("log_var_start: data"), std::string::npos);
  EXPECT_NE(to_yaml(minimal({"model.head.mean=identity"})).find("log_var_start: data"), std::string::npos);
  EXPECT_NE(to_yaml(minimal({"model.head.log_var=mlp"})).find("log_var_width: 256"), std::string::npos);
  EXPECT_NE(plain.find("dropout: from_config"), std::string::npos);
  EXPECT_EQ(to_yaml(minimal({"training.parameters=head"})).find("dropout"), std::string::npos);
}

TEST(HeadKeys, AreRefusedWhereTheyHaveNoBearing) {
  for (const auto& [keys, message] : std::vector<std::pair<Texts, std::string>>{
           {{"model.head.log_var_width=9"}, "model.head.log_var_width: goes with model.head.log_var mlp only"},
           {{"model.head.log_var_start=0"},
            "model.head.log_var_start: goes with model.head.init identity, or weights with model.head.mean identity"},
           {{"model.head.mean=identity", "model.head.init=random", "model.head.log_var_start=0"},
            "model.head.log_var_start: goes with"},
           {{"training.parameters=head", "training.dropout=0.1"},
            "training.dropout: goes with training.parameters all or from_layer only"}})
    EXPECT_TRUE(says_only(refusal_of_keys(keys), message)) << message;
  for (const char* key : {"model.head.scale=unit", "model.head.log_var=mlp"})
    EXPECT_TRUE(says_only(refusal(with("recipe: simcse"), {key}), "goes with model.head.kind gaussian only"));
}

TEST(HeadKeys, HaveRanges) {
  for (const char* key : {"model.head.log_var_start=-50.1", "model.head.log_var_start=50.1",
                          "model.head.log_var_start=.nan", "model.head.log_var_start=date"})
    EXPECT_TRUE(
        says_only(refusal_of_keys({"model.head.init=identity", key}), "(allowed: data, or a number from -50 to 50)"))
        << key;
  for (const char* key : {"model.head.log_var_width=0", "model.head.log_var_width=65537"})
    EXPECT_TRUE(says_only(refusal_of_keys({"model.head.log_var=mlp", key}), "an integer from 1 to 65536")) << key;
  EXPECT_EQ(refusal_of_keys({"model.head.init=identity", "model.head.log_var_start=-50"}), "accepted");
  EXPECT_EQ(refusal_of_keys({"model.head.log_var=mlp", "model.head.log_var_width=1"}), "accepted");
}

TEST(HeadKeys, StartAtTheIdentityIsThatOfAGaussian) {
  const std::string problem = "model.head.init: identity goes with model.head.kind gaussian only, not with ";
  EXPECT_TRUE(says_only(refusal(with("recipe: simcse"), {"model.head.init=identity"}),
                        problem + "mlp_tanh: choose random or weights"));
  EXPECT_TRUE(says_only(refusal(with("recipe: dynamics\nobjective: {kind: pair_classification}"),
                                {"model.head.init=identity", "data.examples=labelled_pairs"}),
                        problem + "none: choose"));
  EXPECT_EQ(refusal_of_keys({"model.head.mean=linear", "model.head.init=identity"}), "accepted");
}

TEST(TrainedParameters, OfAHeadAloneHaveRules) {
  EXPECT_TRUE(says_only(refusal_of_keys({"training.precision=int8"}),
                        "training.precision: int8 is for embedding, so that only a head can be trained with it: choose "
                        "bf16 or fp32, or add training.parameters: head"));
  EXPECT_TRUE(says_only(refusal(with("recipe: dynamics"), {"training.parameters=head"}),
                        "training.parameters: head: the model has none, as model.head.kind is none"));
  EXPECT_TRUE(says_only(refusal_of_keys({"training.parameters=head", "model.pooling=mean_without_first",
                                         "training.pooling_divisor=longest"}),
                        "training.parameters: head: a sentence's vector is computed once for all batches: choose "
                        "training.pooling_divisor: tokens"));
  EXPECT_TRUE(says_only(refusal(with("tasks: {g: {kind: geometry, files: g}}"), {"training.parameters=head"}),
                        "tasks.g: geometry looks into the layers, which training.parameters: head does not change"));
  EXPECT_TRUE(says_only(refusal_of_keys({"training.parameters=head", "training.precision=int8", "device=cuda"}),
                        "device: cuda does not go with training.precision: int8"));
  EXPECT_EQ(refusal_of_keys({"training.parameters=head", "training.precision=int8", "device=cpu"}), "accepted");
  EXPECT_EQ(refusal(with("recipe: simcse"), {"training.parameters=head"}), "accepted");
}

/// There are no GPUs for int8: auto looks for none.
TEST(TrainedParameters, InInt8AreForCpus) {
  const Texts head{"training.parameters=head"};
  EXPECT_EQ(device_of(minimal(head)), setting::Device::automatic);
  EXPECT_EQ(device_of(minimal({"training.parameters=head", "training.precision=int8"})), setting::Device::cpu);
}

/// Each key's value is another trial, but a log-variance's width or start that has no bearing is the same.
TEST(HeadKeys, ArePartOfTheIdentity) {
  const std::string plain = identity_text(minimal());
  const Texts start{"model.head.init=identity"};
  EXPECT_EQ(identity_text(minimal({"model.head.scale=none", "model.head.log_var=linear", "training.parameters=all"})),
            plain);
  std::set<std::string> texts{plain};
  for (const Texts& keys : std::vector<Texts>{{"model.head.mean=identity"},
                                              {"model.head.scale=unit"},
                                              {"model.head.log_var=mlp"},
                                              {"model.head.log_var=mlp", "model.head.log_var_width=9"},
                                              {"model.head.init=identity"},
                                              {"model.head.init=identity", "model.head.log_var_start=0"},
                                              {"training.parameters=head"},
                                              {"training.parameters=head", "training.precision=int8"}})
    EXPECT_TRUE(texts.insert(identity_text(minimal(keys))).second) << keys.back();
  EXPECT_EQ(identity_text(minimal({"model.head.init=identity", "model.head.log_var_start=data"})),
            identity_text(minimal(start)));
  EXPECT_NE(identity_text(minimal({"training.parameters=head"})).find("training: {parameters: head}"),
            std::string::npos);
}

}  // namespace
}  // namespace gausscse
