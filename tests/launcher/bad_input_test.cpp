#include "base/content_hash.hpp"
#include "tests/launcher/program.hpp"
#include "tests/model/weights/safetensors_bytes.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
const char* const good_line = "{\"gold_label\": \"entailment\", \"sentence1\": \"w1 w2\", \"sentence2\": \"w1\"}\n";

/// A way to spoil a project, and the text that the message must have.
struct Case {
  std::string name;
  std::function<void(const TinyProject&)> spoil;
  std::vector<std::string> overrides;
  std::vector<std::string> notes;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class BadInput : public TinyProjectTest, public testing::WithParamInterface<Case> {};

TEST_P(BadInput, EndsWithCodeTwoAndLeavesNothing) {
  if (GetParam().spoil) GetParam().spoil(project_);
  run_expecting(2, train_arguments(project_, "", GetParam().overrides), GetParam().notes);
  EXPECT_FALSE(fs::exists(project_.output() / "result.h5"));
  EXPECT_FALSE(fs::exists(project_.output() / "model"));
}

Case with_train(const std::string& name, const std::string& content, std::vector<std::string> notes) {
  return {name, [content](const TinyProject& project) { write_bytes(project.train(), content); }, {}, std::move(notes)};
}

Case with_whole_trial(const std::string& name, const std::string& content, std::vector<std::string> notes) {
  return {name, [content](const TinyProject& project) { write_bytes(project.trial(), content); }, {}, std::move(notes)};
}

Case with_trial(const std::string& name, const std::string& more, std::vector<std::string> notes) {
  return with_whole_trial(name,
                          "format: gausscse-trial/2\nmodel: {backbone: {path: model}}\n"
                          "data: {train: [train.jsonl]}\noutput: out\n" +
                              more,
                          std::move(notes));
}

Case with_weights(const std::string& name, const std::string& header, std::size_t data,
                  std::vector<std::string> notes) {
  return {name,
          [header, data](const TinyProject& project) {
            write_bytes(project.model() / "model.safetensors", safetensors_bytes(header, std::string(data, '\0')));
          },
          {},
          std::move(notes)};
}

/// Nine levels of ten: a thousand million values, if it were expanded.
std::string alias_bomb() {
  std::string text = "bomb0: &level0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int level = 1; level < 9; ++level) {
    const std::string below = std::string("*level").append(std::to_string(level - 1));
    text.append("bomb").append(std::to_string(level)).append(": &level").append(std::to_string(level)).append(" [");
    for (int i = 0; i < 10; ++i) text.append(i ? ", " : "").append(below);
    text.append("]\n");
  }
  return text;
}

void set_layers(const TinyProject& project, int layers) {
  const std::string before = "\"num_hidden_layers\": 2";
  std::string config = read_whole_file(project.model() / "config.json", 1 << 20);
  config.replace(config.find(before), before.size(),
                 std::string("\"num_hidden_layers\": ").append(std::to_string(layers)));
  write_bytes(project.model() / "config.json", config);
}

INSTANTIATE_TEST_SUITE_P(
    Train, BadInput,
    testing::Values(
        Case{"missing_file", nullptr, {"data.train=[nowhere.jsonl]"}, {"nowhere.jsonl"}},
        Case{"folder_for_a_file", nullptr, {"tasks.dev.files=model"}, {"model"}},
        with_train("empty_corpus", "", {"train.jsonl"}),
        with_train("not_json", std::string(good_line) + "{oops\n", {"train.jsonl:2"}),
        with_train("key_missing", "{\"gold_label\": \"entailment\", \"sentence1\": \"w1\"}\n",
                   {"train.jsonl:1", "sentence2"}),
        with_train("unknown_label",
                   std::string(good_line) +
                       "{\"gold_label\": \"maybe\", \"sentence1\": \"w1\", \"sentence2\": \"w2\"}\n",
                   {"train.jsonl:2", "maybe"}),
        with_train("double_key",
                   "{\"gold_label\": \"entailment\", \"gold_label\": \"neutral\", \"sentence1\": \"a\", "
                   "\"sentence2\": \"b\"}\n",
                   {"train.jsonl:1", "gold_label"}),
        with_train("csv_header", "sent0,sent1,negativ\na,b,c\n", {"train.jsonl"}),
        with_train("csv_open_quote", "sent0,sent1,hard_neg\n\"w1,w2,w3\n", {"train.jsonl"}),
        with_train("invalid_utf8",
                   "{\"gold_label\": \"entailment\", \"sentence1\": \"w1 \xff\", \"sentence2\": \"w2\"}\n",
                   {"train.jsonl:1", "UTF-8"}),
        with_train("empty_sentence", "{\"gold_label\": \"entailment\", \"sentence1\": \"  \", \"sentence2\": \"w2\"}\n",
                   {"train.jsonl:1"}),
        with_train("no_triple", good_line, {"triple"}),
        Case{"dev_without_entailment",
             [](const TinyProject& project) {
               write_bytes(project.dev(),
                           "{\"gold_label\": \"neutral\", \"sentence1\": \"w1\", \"sentence2\": \"w2\"}\n");
             },
             {},
             {"dev.jsonl", "entailment"}},
        with_trial("unknown_key", "objective: {los: ent}\n", {"objective.los\"", "objective.loss"}),
        with_trial("double_key_in_yaml", "output: b\n", {"output"}),
        with_trial("wrong_type", "training: {batch_size: many}\n", {"batch_size", "many"}),
        with_trial("out_of_range", "training: {learning_rate: -1}\n", {"learning_rate", "-1"}),
        with_trial("alias_bomb", alias_bomb(), {"anchor"}),
        with_whole_trial("backbone_missing", "format: gausscse-trial/2\ndata: {train: [train.jsonl]}\noutput: out\n",
                         {"model.backbone: is missing"}),
        with_whole_trial("output_missing",
                         "format: gausscse-trial/2\nmodel: {backbone: {path: model}}\ndata: {train: [train.jsonl]}\n",
                         {"output is missing"}),
        Case{"vocabulary_too_long",
             [](const TinyProject& project) {
               std::string words = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
               for (int i = 0; i < 70; ++i) words.append("v").append(std::to_string(i)).append("\n");
               write_bytes(project.model() / "vocab.txt", words);
             },
             {},
             {"75", "60"}},
        Case{"vocabulary_too_short",
             [](const TinyProject& project) {
               write_bytes(project.model() / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nw0\nw1\n");
             },
             {},
             {"7", "60", "vocabulary_size"}},
        Case{"tensor_missing", [](const TinyProject& project) { set_layers(project, 3); }, {}, {"encoder.layer.2."}},
        Case{"tensor_left_over", [](const TinyProject& project) { set_layers(project, 1); }, {}, {"encoder.layer.1."}},
        with_weights("header_with_a_hole", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8,
                     {"model.safetensors", "where the data before it ends at 0"}),
        with_weights("header_with_a_double_key",
                     R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                     R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                     4, {"model.safetensors", "the key \"a\" appears twice in one JSON object"}),
        Case{"weights_cut",
             [](const TinyProject& project) { fs::resize_file(project.model() / "model.safetensors", 1000); },
             {},
             {"model.safetensors"}},
        Case{"weights_not_finite",
             [](const TinyProject& project) {
               const fs::path path = project.model() / "model.safetensors";
               std::string bytes = read_whole_file(path, 1 << 24);
               const float nan = std::numeric_limits<float>::quiet_NaN();
               std::memcpy(&bytes[bytes.size() - sizeof nan], &nan, sizeof nan);
               write_bytes(path, bytes);
             },
             {},
             {"model.safetensors", "has infinite or NaN values (1 of "}},
        Case{"shape_not_of_the_config",
             [](const TinyProject& project) {
               fs::remove(project.model() / "config.json");
               fs::copy(golden("weights/tiny-roberta/config.json"), project.model());
             },
             {},
             {"model.safetensors"}},
        Case{"output_not_writable", nullptr, {"output=/proc/gausscse"}, {"/proc/gausscse", "output"}},
        Case{"output_is_a_file", nullptr, {"output=dev.jsonl"}, {"dev.jsonl", "output"}},
        Case{"batch_larger_than_the_data", nullptr, {"training.batch_size=64"}, {"64", "40"}},
        Case{"too_many_tokens", nullptr, {"training.max_tokens=71"}, {"71", "70"}}),
    [](const auto& tested) { return tested.param.name; });

using BadInputOfTheProgram = TinyProjectTest;

TEST_F(BadInputOfTheProgram, RanksOfDifferentConfigurationsAreRefused) {
  run_expecting(2, train_arguments(project_), {"the configuration is not the same on all ranks", "seed: 1"},
                {.ranks = 2, .last_rank_arguments = train_arguments(project_, "", {"training.seed=1"})});
}

/// Ranks whose hosts have other files under one path train on the content of each; a copy elsewhere is the same data.
TEST_F(BadInputOfTheProgram, RanksThatReadOtherDataAreRefused) {
  const std::vector<std::string> arguments = train_arguments(project_);
  for (const auto& [key, role, data] : {std::tuple{"data.train=", "content of data.train/1: ", project_.train()},
                                        std::tuple{"tasks.dev.files=", "content of tasks.dev/1: ", project_.dev()}}) {
    const fs::path other = folder_ / concat("other-", data.filename().string());
    write_bytes(other, read_whole_file(data, 1 << 20) + good_line);
    const std::vector<std::string> of_last = train_arguments(project_, "", {key + other.string()});
    run_expecting(2, arguments,
                  {concat("the configuration is not the same on all ranks: rank 0 has \"", role, content_hash(data),
                          "\", rank 1 has \"", role, content_hash(other), "\"")},
                  {.ranks = 2, .last_rank_arguments = of_last});
    EXPECT_FALSE(fs::exists(project_.output() / "result.h5"));
    EXPECT_FALSE(fs::exists(project_.output() / "model"));
  }
  const fs::path copy = folder_ / "copy.jsonl";
  fs::copy(project_.train(), copy);
  run_expecting(0, arguments, {},
                {.ranks = 2, .last_rank_arguments = train_arguments(project_, "", {"data.train=" + copy.string()})});
}

TEST_F(BadInputOfTheProgram, DivergedTrainingNamesStepAndGradient) {
  run_expecting(2, train_arguments(project_, "", {"training.learning_rate=1e30", "training.warmup_ratio=0"}),
                {"stopped at step", "largest gradient"});
  EXPECT_FALSE(fs::exists(project_.output() / "result.h5"));
}

TEST_F(BadInputOfTheProgram, FullDiskLeavesNoResult) {
  int failures = 0;
  // A log would be cut as well.
  for (std::uint64_t largest_file = 512;; largest_file *= 2) {
    const TemporaryFolder folder;
    const TinyProject project(folder.path());
    const ProgramRun run = run_program(with(train_arguments(project), {"--quiet"}), {.largest_file = largest_file});
    if (run.exit_code == 0) break;
    ++failures;
    EXPECT_TRUE(ended(run, 2, {"cannot write"})) << largest_file << ": ";
    EXPECT_FALSE(fs::exists(project.output() / "result.h5")) << largest_file;
    for (const auto& entry : fs::recursive_directory_iterator(project.output()))
      EXPECT_EQ(entry.path().string().find(".tmp-"), std::string::npos) << largest_file << ": " << entry.path();
  }
  EXPECT_GE(failures, 3);
}

TEST_F(BadInputOfTheProgram, LongSentencesAreCutCountedAndTold) {
  run_expecting(0, train_arguments(project_, "", {"training.max_tokens=5"}), {"more than 5 tokens and are cut"});
}

TEST_F(BadInputOfTheProgram, BadLinesAreSkippedAndToldIfAskedFor) {
  write_bytes(project_.dev(), std::string(good_line) + "{oops\n");
  run_expecting(0, train_arguments(project_, "", {"data.bad_lines=skip"}), {"dev.jsonl:2"});
}

}  // namespace
}  // namespace gausscse
