#include "config/trial/trial_identity.hpp"
#include "tests/config/trial/minimal_trial.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

const std::string many_inputs = R"(format: gausscse-trial/2
model: {backbone: {architecture: bert-base, init: random, tokenizer: words}}
data: {train: [train.jsonl, other/train.jsonl], cache: tokens}
tasks:
  dev: {kind: nli, files: dev.jsonl}
  sts: {kind: sts, files: [STS12-en-test, sts-test.csv]}
  tokens: {kind: geometry, files: sentences.txt}
  transfer: {kind: transfer, files: downstream}
output: out
)";

TEST(InputsOf, AreAllThatIsReadWithItsRole) {
  std::vector<std::string> inputs;
  for (const TrialInput& input : inputs_of(parse(many_inputs)))
    inputs.push_back(input.role + " " + input.path.string());
  EXPECT_EQ(inputs,
            (std::vector<std::string>{"data.train/1 /base/train.jsonl", "data.train/2 /base/other/train.jsonl",
                                      "tasks.dev/1 /base/dev.jsonl", "tasks.sts/1 /base/STS12-en-test",
                                      "tasks.sts/2 /base/sts-test.csv", "tasks.tokens/1 /base/sentences.txt",
                                      "tasks.transfer/1 /base/downstream", "model.backbone.tokenizer /base/words"}));
  const std::vector<TrialInput> minimal = inputs_of(parse(std::string(minimal_trial)));
  ASSERT_EQ(minimal.size(), 2u);
  EXPECT_EQ(minimal[1].role, "model.backbone");
  const std::vector<TrialInput> vectors =
      inputs_of(parse("format: gausscse-trial/2\nmodel: {backbone: {vectors: v/x.npy, texts: y.txt}}\n"
                      "training: {parameters: head}\ndata: {train: t}\noutput: o\n"));
  ASSERT_EQ(vectors.size(), 3u);
  EXPECT_EQ(vectors[1].role + " " + vectors[1].path.string(), "model.backbone.vectors /base/v/x.npy");
  EXPECT_EQ(vectors[2].role + " " + vectors[2].path.string(), "model.backbone.texts /base/y.txt");
}

TEST(RoleOfFile, IsThatOfTheFileOrOfItsFolder) {
  const Trial trial = parse(many_inputs);
  EXPECT_EQ(role_of_file(trial, "/base/other/train.jsonl"), "data.train/2");
  EXPECT_EQ(role_of_file(trial, "/base/STS12-en-test/STS.input.MSRpar.txt"), "tasks.sts/1/STS.input.MSRpar.txt");
  EXPECT_EQ(role_of_file(trial, "/base/words/vocab.txt"), "model.backbone.tokenizer/vocab.txt");
  EXPECT_EQ(role_of_file(trial, "/base/downstream/CR/custrev.pos"), "tasks.transfer/1/CR/custrev.pos");
  for (const char* other : {"/base/train.jsonl2", "/base/STS12-en-tests/x", "the tokenizer", ""})
    EXPECT_EQ(role_of_file(trial, other), other);
}

TEST(CanonicalTrial, HasRolesInPlaceOfPathsAndNothingElseChanged) {
  Trial expected = parse(many_inputs);
  expected.data.train = {"/data.train/1", "/data.train/2"};
  expected.data.cache.clear();
  std::get<NliTaskSettings>(expected.tasks[0].of_kind).file = "/tasks.dev/1";
  std::get<StsTaskSettings>(expected.tasks[1].of_kind).files = {"/tasks.sts/1", "/tasks.sts/2"};
  std::get<GeometryTaskSettings>(expected.tasks[2].of_kind).file = "/tasks.tokens/1";
  std::get<TransferTaskSettings>(expected.tasks[3].of_kind).folder = "/tasks.transfer/1";
  expected.model.backbone.tokenizer = "/model.backbone.tokenizer";
  expected.output = "/output";
  EXPECT_EQ(to_yaml(canonical_trial(parse(many_inputs))), to_yaml(expected));
}

TEST(CanonicalTrial, OfACanonicalTrialIsTheSame) {
  for (const std::string& text : {many_inputs, std::string(minimal_trial)}) {
    const std::string canonical = to_yaml(canonical_trial(parse(text)));
    EXPECT_EQ(to_yaml(canonical_trial(parse_trial(canonical, "canonical", "/elsewhere"))), canonical);
  }
}

TEST(CanonicalTrial, LeavesOutWhatChangesNoMetric) {
  const std::string canonical = to_yaml(canonical_trial(parse(std::string(minimal_trial))));
  for (const char* key :
       {"output=x", "device=cuda", "data.cache=x", "training.checkpoint_every=7", "training.checkpoint_minutes=1",
        "training.keep_checkpoint=true", "training.tensorboard=true", "training.micro_batch=2",
        "training.exchange=gather", "training.virtual_shards=2", "data.train=other.jsonl", "model.backbone.path=other"})
    EXPECT_EQ(to_yaml(canonical_trial(parse(std::string(minimal_trial), {key}))), canonical) << key;
  for (const char* key :
       {"training.seed=1", "training.max_tokens=32", "data.train=[a.jsonl, b.jsonl]", "data.trim=true"})
    EXPECT_NE(to_yaml(canonical_trial(parse(std::string(minimal_trial), {key}))), canonical) << key;
}

/// They decide over the order of sums there, and so over bits.
TEST(CanonicalTrial, KeepsVirtualShardsUnderRankInvariance) {
  const auto canonical = [](const char* shards) {
    return to_yaml(canonical_trial(parse(with("reproducibility: rank_invariant"), {shards})));
  };
  EXPECT_NE(canonical("training.virtual_shards=2"), canonical("training.virtual_shards=4"));
}

}  // namespace
}  // namespace gausscse
