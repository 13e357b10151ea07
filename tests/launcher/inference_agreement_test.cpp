#include "model/kernels/kernels.hpp"
#include "tests/launcher/nli_reference.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

/// Commands of which the last rank sees something else than the others.
class InferenceAgreement : public TinyProjectTest {
 protected:
  InferenceAgreement() {
    save("one", {});
    input_ = file("in.txt", "w1 w2\tw3\nw4\tw5 w6\n");
    other_input_ = file("other.txt", "w1 w2\tw3\nw4\tw5 w7\n");
    for (const auto& [path, seed] : {std::pair{&test_, 41}, std::pair{&other_test_, 51}}) {
      std::vector<ReferencePair> pairs = tiny_pairs(10, static_cast<std::uint64_t>(seed));
      for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].label = i % 2 == 0 ? "entailment" : "neutral";
      *path = file("test" + std::to_string(seed) + ".jsonl", snli_lines(pairs));
    }
  }
  std::string model(const std::string& name) const { return (folder_ / name).string(); }
  void save(const std::string& name, const TinyModel& made) { save_tiny_model(project_, folder_ / name, made); }
  /// A copy of the model "one" in one file of which `from` is replaced by `to`.
  void change(const std::string& name, const std::string& changed_file, const std::string& from,
              const std::string& to) {
    fs::copy(folder_ / "one", folder_ / name);
    fs::remove(folder_ / name / ".gausscse");
    const fs::path path = folder_ / name / changed_file;
    std::string text = read_whole_file(path, 1 << 20);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    write_bytes(path, text.replace(at, from.size(), to));
  }

  void expect_refusal(const Arguments& arguments, const Arguments& of_last_rank, const std::string& named) {
    const ProgramRun run = run_expecting(2, arguments, {"is not the same on all ranks", "rank 2 has \"" + named},
                                         {.ranks = 3, .last_rank_arguments = of_last_rank});
    EXPECT_EQ(run.output, "");
    EXPECT_FALSE(fs::exists(folder_ / "out.h5"));
  }
  Arguments features_of(const std::string& sentences) const {
    return {"export", model("one"),  path("out.h5"), "--as",        "features", "--side",
            "query",  "--direction", "entails",      "--sentences", sentences};
  }
  Arguments encode(const std::string& of_model) const { return {"encode", model(of_model), input_, path("out.h5")}; }

  std::string input_, other_input_, test_, other_test_;
};

TEST_F(InferenceAgreement, OtherWeightsAreFound) {
  save("two", {.head_seed = 6});
  expect_refusal(encode("one"), encode("two"), "the weights");
}

TEST_F(InferenceAgreement, OtherVocabulariesAreFound) {
  change("two", "vocab.txt", "w0\nw1\n", "w1\nw0\n");
  expect_refusal(encode("one"), encode("two"), "the tokenizer");
}

TEST_F(InferenceAgreement, OtherSettingsOfTheModelAreFound) {
  save("two", {.threshold = 0.25});
  expect_refusal({"score", model("one"), input_}, {"score", model("two"), input_}, "gausscse.safetensors");
}

TEST_F(InferenceAgreement, OtherConfigurationsAreFound) {
  change("two", "config.json", "\"hidden_act\"", " \"hidden_act\"");
  expect_refusal({"eval", model("one"), "--test", "t=" + test_}, {"eval", model("two"), "--test", "t=" + test_},
                 "config.json");
  expect_refusal({"geometry", model("one"), input_}, {"geometry", model("two"), input_}, "config.json");
}

TEST_F(InferenceAgreement, OtherInputsAreFound) {
  Arguments other = encode("one");
  other[2] = other_input_;
  expect_refusal(encode("one"), other, "IN ");
  expect_refusal({"score", model("one"), input_}, {"score", model("one"), other_input_}, "PAIRS ");
  expect_refusal({"geometry", model("one"), input_}, {"geometry", model("one"), other_input_}, "FILE ");
  expect_refusal({"search", model("one"), input_, test_}, {"search", model("one"), other_input_, test_}, "CORPUS ");
  expect_refusal({"search", model("one"), test_, input_}, {"search", model("one"), test_, other_input_}, "QUERIES ");
  const std::string out = path("out.h5");
  expect_refusal({"similarity", model("one"), input_, test_, out},
                 {"similarity", model("one"), other_input_, test_, out}, "A ");
  expect_refusal({"similarity", model("one"), test_, input_, out},
                 {"similarity", model("one"), test_, other_input_, out}, "B ");
  expect_refusal(features_of(input_), features_of(other_input_), "--sentences ");
  expect_refusal({"eval", model("one"), "--test", "t=" + test_}, {"eval", model("one"), "--test", "t=" + other_test_},
                 "task t ");
  expect_refusal({"eval", model("one"), "--dev", test_}, {"eval", model("one"), "--dev", other_test_}, "task dev ");
}

TEST_F(InferenceAgreement, OtherOptionsAreFound) {
  const Arguments eval{"eval", model("one"), "--test", "t=" + test_};
  expect_refusal(encode("one"), with(encode("one"), {"--precision", "bf16"}), "precision bf16");
  expect_refusal(encode("one"), with(encode("one"), {"--skip-bad-lines"}), "bad lines skipped");
  const Arguments score{"score", model("one"), input_}, geometry{"geometry", model("one"), input_};
  expect_refusal(score, with(score, {"--skip-bad-lines"}), "bad lines skipped");
  const Arguments search{"search", model("one"), input_, input_},
      matrix{"similarity", model("one"), input_, input_, path("out.h5")};
  expect_refusal(search, with(search, {"--skip-bad-lines"}), "bad lines skipped");
  expect_refusal(search, with(search, {"--top", "3"}), "--top 3");
  expect_refusal(search, with(search, {"--direction", "both"}), "--direction both");
  const Arguments mining = with(search, {"--mine", path("mined.csv")});
  expect_refusal(mining, with(mining, {"--mine-skip", "3"}), "--mine-skip 3");
  expect_refusal(matrix, with(matrix, {"--skip-bad-lines"}), "bad lines skipped");
  expect_refusal(features_of(input_), with(features_of(input_), {"--skip-bad-lines"}), "bad lines skipped");
  expect_refusal(geometry, with(geometry, {"--pads"}), "pads 1");
  expect_refusal(geometry, with(geometry, {"--seed", "7"}), "seed 7");
  expect_refusal(geometry, with(geometry, {"--samples", "7"}), "samples 7");
  expect_refusal(geometry, with(geometry, {"--draws", "7"}), "draws 7");
  expect_refusal(geometry, with(geometry, {"--before", model("one")}), "--before 400");
  const Arguments compared = with(geometry, {"--before", model("one")});
  expect_refusal(compared, with(compared, {"--frequent", "7"}), "--before 7");
  expect_refusal(eval, with(eval, {"--auprc", "sweep"}), "auprc sweep");
  expect_refusal(eval, with(eval, {"--skip-bad-lines"}), "bad lines skip");
}

/// A folder of an encoder is computed in float32 where no precision is given.
TEST_F(InferenceAgreement, OtherPrecisionsOfAnEncoderAreFound) {
  const Arguments eval{"eval", project_.model().string(), "--pooling", "mean", "--dev", test_};
  const Arguments other = with(eval, {"--precision", "bf16"});
  expect_refusal(eval, other, "precision bf16");
}

/// The last rank has the kernels of a lesser processor.
TEST_F(InferenceAgreement, OtherInstructionsAreAWarning) {
  const std::string own = kernels::kernel_table<float>().instruction_set;
  if (own == "generic") GTEST_SKIP() << "this processor has no other kernels than the generic ones";
  for (const Arguments& arguments :
       {encode("one"), Arguments{"score", model("one"), input_}, Arguments{"geometry", model("one"), input_},
        Arguments{"eval", model("one"), "--dev", test_}}) {
    const Arguments of_last = with({"GAUSSCSE_INSTRUCTION_SET=generic", GAUSSCSE_PROGRAM}, arguments);
    const ProgramRun run = run_expecting(
        0, arguments, {}, {.ranks = 2, .last_rank_arguments = of_last, .last_rank_program = "/usr/bin/env"});
    const std::size_t first = run.errors.find("ranks compute with different instructions");
    if (first == std::string::npos) {
      ADD_FAILURE() << arguments.front() << " does not tell: " << run.errors;
      continue;
    }
    EXPECT_NE(run.errors.find(concat("has kernels for ", own, ", rank 1 on "), first), std::string::npos) << run.errors;
    EXPECT_EQ(run.errors.find("different instructions", first + 40), std::string::npos) << "told once: " << run.errors;
  }
}

/// Only the content of files counts, not their places.
TEST_F(InferenceAgreement, CopiesAreTheSame) {
  fs::copy(folder_ / "one", folder_ / "two", fs::copy_options::recursive);
  const std::string copy = file("copy.txt", read_whole_file(input_, 1000));
  run_expecting(0, {"score", model("one"), input_}, {},
                {.ranks = 2, .last_rank_arguments = {"score", model("two"), copy}});
}

}  // namespace
}  // namespace gausscse
