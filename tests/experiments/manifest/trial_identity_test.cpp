#include "base/content_hash.hpp"
#include "experiments/manifest/plan.hpp"
#include "tests/experiments/manifest/study_files.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
constexpr const char* trial_text = R"(format: gausscse-trial/2
model: {backbone: {path: small}}
data: {train: [train.jsonl, more.jsonl]}
tasks:
  dev: {kind: nli, files: dev.jsonl, eval_every: 10}
  test: {kind: nli, files: test.jsonl, threshold: dev}
  sts: {kind: sts, files: [STS12-en-test, sts-test.csv]}
output: out
)";

class TrialIdentity : public testing::Test {
 protected:
  TrialIdentity() { write_files(folder_.path()); }

  static void write_files(const fs::path& folder) {
    write_study_files(folder);
    write_text(folder / "more.jsonl", "more");
    write_text(folder / "STS12-en-test" / "STS.input.MSRpar.txt", "pairs");
    write_text(folder / "STS12-en-test" / "STS.gs.MSRpar.txt", "scores");
    write_text(folder / "sts-test.csv", "sts");
  }

  static std::string identity_in(const fs::path& folder, const std::vector<std::string>& overrides = {}) {
    const Trial trial = parse_trial(trial_text, "trial", folder, overrides);
    return trial_identity(trial, contents_of_inputs(trial, content_hash_with({})));
  }
  std::string identity(const std::vector<std::string>& overrides = {}) const {
    return identity_in(folder_.path(), overrides);
  }

  TemporaryFolder folder_;
};

TEST_F(TrialIdentity, IsThirtyTwoHexadecimalDigits) {
  EXPECT_EQ(identity().size(), 32u);
  EXPECT_EQ(identity().find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST_F(TrialIdentity, IsMadeOfTheContentsOfAllFiles) {
  const Trial trial = parse_trial(trial_text, "trial", folder_.path());
  // The hash of one file is known, so that the file is not read.
  const auto contents = contents_of_inputs(trial, content_hash_with({{(folder_ / "more.jsonl").string(), "known"}}));
  std::map<std::string, std::string> hashes;
  for (const InputContent& content : contents) {
    EXPECT_EQ(content.hash, content.role == "data.train/2" ? "known" : content_hash(content.file)) << content.role;
    hashes[content.role] = content.hash;
  }
  EXPECT_EQ(hashes.size(), contents.size());
  for (const char* role : {"data.train/1", "data.train/2", "tasks.dev/1", "tasks.test/1",
                           "tasks.sts/1/STS.input.MSRpar.txt", "tasks.sts/2", "model.backbone/config.json"})
    EXPECT_TRUE(hashes.contains(role)) << role;
}

TEST_F(TrialIdentity, DoesNotDependOnWhereFilesLie) {
  const TemporaryFolder elsewhere;
  write_files(elsewhere / "deep");
  EXPECT_EQ(identity_in(elsewhere / "deep"), identity());
  fs::rename(folder_ / "train.jsonl", folder_ / "renamed.jsonl");
  fs::rename(folder_ / "small", folder_ / "moved");
  EXPECT_EQ(identity({"data.train=[renamed.jsonl, more.jsonl]", "model.backbone.path=moved"}),
            identity_in(elsewhere / "deep"));
}

TEST_F(TrialIdentity, DoesNotDependOnWhatChangesNoResult) {
  for (const char* key : {"output=elsewhere", "device=cuda", "data.cache=cache", "training.checkpoint_every=3",
                          "training.checkpoint_minutes=0", "training.keep_checkpoint=true", "training.tensorboard=true",
                          "training.micro_batch=4", "training.exchange=ring", "training.virtual_shards=3",
                          "model.sentence_transformers=mean_and_log_var", "model.head.init=weights"})
    EXPECT_EQ(identity({key}), identity()) << key;
}

TEST_F(TrialIdentity, DependsOnWhatChangesAResult) {
  std::set<std::string> identities{identity()};
  for (const char* key :
       {"training.seed=1", "training.batch_size=32", "training.learning_rate=1e-5", "objective.loss=ent",
        "recipe=paper", "training.precision=fp32", "reproducibility=rank_invariant", "model.pooling=mean",
        "tasks.dev.eval_every=20", "data.train=[more.jsonl, train.jsonl]", "model.backbone.path=large",
        "model.head.init=random", "tasks.sts.collapse_white_space=false", "tasks.test.files=dev.jsonl"})
    EXPECT_TRUE(identities.insert(identity({key})).second) << key;
  // Under rank_invariant they decide over bits.
  EXPECT_NE(identity({"reproducibility=rank_invariant", "training.virtual_shards=3"}),
            identity({"reproducibility=rank_invariant"}));
}

TEST_F(TrialIdentity, DependsOnTheContentOfEveryFile) {
  const std::string before = identity();
  for (const char* file : {"train.jsonl", "more.jsonl", "dev.jsonl", "test.jsonl", "STS12-en-test/STS.input.MSRpar.txt",
                           "STS12-en-test/STS.gs.MSRpar.txt", "sts-test.csv", "small/config.json",
                           "small/model.safetensors", "small/vocab.txt"}) {
    const std::string bytes = "other";
    const fs::path path = folder_ / file, kept = folder_ / "kept";
    fs::rename(path, kept);
    write_text(path, bytes);
    EXPECT_NE(identity(), before) << file;
    fs::rename(kept, path);
    EXPECT_EQ(identity(), before) << file;
  }
  write_text(folder_ / "small" / "README.md", "not read");
  write_text(folder_ / "small" / "tf_model.h5", "not read");
  EXPECT_EQ(identity(), before);
  write_text(folder_ / "small" / "0_Transformer" / "config.json", "read");
  EXPECT_NE(identity(), before);
}

/// A run's folder is its model there, head included; its other files are not read.
TEST_F(TrialIdentity, OfARunAsBackboneIsThatOfItsModel) {
  fs::create_directory(folder_ / "run");
  fs::copy(folder_ / "small", folder_ / "run" / "model", fs::copy_options::recursive);
  EXPECT_EQ(identity({"model.backbone.path=run"}), identity());
  write_text(folder_ / "run" / "report.json", "not read");
  EXPECT_EQ(identity({"model.backbone.path=run"}), identity());
  for (const char* head : {"a head", "another"}) {
    const std::string before = identity({"model.backbone.path=run"});
    write_text(folder_ / "run" / "model" / "gausscse.safetensors", head);
    EXPECT_NE(identity({"model.backbone.path=run"}), before) << head;
  }
}

/// Files of transfer tasks have their own names, and others lie next to them.
TEST_F(TrialIdentity, DependsOnTheFilesOfTransferTasks) {
  write_text(folder_ / "downstream" / "CR" / "custrev.pos", "good");
  write_text(folder_ / "downstream" / "CR" / "custrev.neg", "bad");
  write_text(folder_ / "downstream" / "MRPC" / "msr_paraphrase_train.txt", "pairs");
  const auto with_transfer = [&](const std::string& rest) {
    return identity({"tasks.transfer={kind: transfer, files: downstream, tasks: [CR]" + rest + "}"});
  };
  const std::string before = with_transfer("");
  EXPECT_NE(with_transfer(", mode: fast"), before);
  EXPECT_NE(with_transfer(", seed: 5"), before);
  write_text(folder_ / "downstream" / "MRPC" / "msr_paraphrase_train.txt", "others");
  write_text(folder_ / "downstream" / "SICK" / "SICK_train.txt", "not asked for");
  EXPECT_EQ(with_transfer(""), before);
  write_text(folder_ / "downstream" / "CR" / "custrev.neg", "worse");
  EXPECT_NE(with_transfer(""), before);
}

/// Only the judgements of the split count in a folder in BEIR's layout, and no file that it does not name.
TEST_F(TrialIdentity, DependsOnTheFilesOfRetrievalTasks) {
  for (const char* file : {"corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "qrels/dev.tsv", "README.txt"})
    write_text(folder_ / "beir" / file, file);
  const auto with_retrieval = [&](const std::string& rest) {
    return identity({"tasks.retrieval={kind: retrieval, files: beir" + rest + "}"});
  };
  const std::string before = with_retrieval("");
  EXPECT_NE(with_retrieval(", split: dev"), before);
  EXPECT_NE(with_retrieval(", from: beir"), before) << "a key that is set";
  for (const char* file : {"qrels/dev.tsv", "README.txt"}) write_text(folder_ / "beir" / file, "other");
  EXPECT_EQ(with_retrieval(""), before);
  fs::copy(folder_ / "beir", folder_ / "moved", fs::copy_options::recursive);
  EXPECT_EQ(identity({"tasks.retrieval={kind: retrieval, files: moved}"}), before);
  for (const char* file : {"corpus.jsonl", "queries.jsonl", "qrels/test.tsv"}) {
    write_text(folder_ / "beir" / file, "other");
    EXPECT_NE(with_retrieval(""), before) << file;
    write_text(folder_ / "beir" / file, file);
  }
  EXPECT_EQ(with_retrieval(""), before);
}

/// A copy is the same content, for either of two tasks that read it.
TEST_F(TrialIdentity, EqualFilesAreEqualUnderAnyName) {
  fs::copy_file(folder_ / "dev.jsonl", folder_ / "copy.jsonl");
  EXPECT_EQ(identity({"tasks.test.files=dev.jsonl"}), identity({"tasks.test.files=copy.jsonl"}));
}

TEST_F(TrialIdentity, AMissingFileIsRefusedByName) {
  fs::remove(folder_ / "test.jsonl");
  EXPECT_TRUE(says(refusal_of([&] { identity(); }), "test.jsonl"));
  write_text(folder_ / "test.jsonl", "back");
  fs::remove_all(folder_ / "small");
  EXPECT_TRUE(says(refusal_of([&] { identity(); }), "small"));
}

TEST(RememberedContentHash, HashesAFileOnce) {
  const TemporaryFolder folder;
  write_text(folder / "file", "before");
  const ContentHash remembered = remembered_content_hash();
  const std::string first = remembered(folder / "file");
  EXPECT_EQ(first, content_hash(folder / "file"));
  write_text(folder / "file", "after!");
  EXPECT_EQ(remembered(folder / "file"), first);
  EXPECT_EQ(remembered_content_hash()(folder / "file"), content_hash(folder / "file"));
}

}  // namespace
}  // namespace gausscse
