#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Tokenize = TinyProjectTest;

TEST_F(Tokenize, PrintsTheIdsOfEachLine) {
  write_bytes(folder_ / "in.txt", "\xEF\xBB\xBFw0 w1\nW3 nothing w2\r\n\n");
  const ProgramRun run = run_expecting(0, {"tokenize", project_.model().string(), path("in.txt"), "--max-tokens", "4"});
  EXPECT_EQ(run.output, "2 5 6 3\n2 8 1 3\n2 3\n");
  EXPECT_EQ(run_program({"tokenize", project_.model().string(), path("in.txt"), "--strings"}).output,
            "[CLS] w0 w1 [SEP]\n[CLS] w3 [UNK] w2 [SEP]\n[CLS] [SEP]\n");
}

TEST_F(Tokenize, WritesTheSameForPrograms) {
  write_bytes(folder_ / "in.txt", "w0 w1\nW3 nothing w2\n\n");
  const std::string report = path("ids.json");
  const std::vector<std::string> tokenize{"tokenize", project_.model().string(), path("in.txt"), "--max-tokens", "4",
                                          "--json"};
  const auto tokens = [&](const std::vector<std::string>& more) { return run_program(with(tokenize, more)); };
  EXPECT_EQ(tokens({report}).output, "2 5 6 3\n2 8 1 3\n2 3\n");
  const std::string ids = "{\"format\":\"gausscse-tokens/1\",\"max_tokens\":4,\"ids\":[[2,5,6,3],[2,8,1,3],[2,3]]}\n";
  EXPECT_EQ(read_whole_file(report, 1000), ids);
  EXPECT_EQ(tokens({"-"}).output, ids);
  EXPECT_EQ(tokens({"-", "--strings"}).output,
            "{\"format\":\"gausscse-tokens/1\",\"max_tokens\":4,\"tokens\":[[\"[CLS]\",\"w0\",\"w1\",\"[SEP]\"],"
            "[\"[CLS]\",\"w3\",\"[UNK]\",\"[SEP]\"],[\"[CLS]\",\"[SEP]\"]]}\n");
  EXPECT_EQ(tokens({path("in.txt")}).exit_code, 2) << "it is read";
}

/// Ids of every length, up to the largest.
TEST_F(Tokenize, PrintsIdsOfManyDigits) {
  std::filesystem::create_directories(folder_ / "large");
  std::filesystem::copy(project_.model() / "config.json", folder_ / "large");
  write_bytes(folder_ / "large/tokenizer.json", R"({
    "version": "1.0", "truncation": null, "padding": null, "decoder": null,
    "added_tokens": [{"id": 2, "content": "[CLS]", "special": true}, {"id": 3, "content": "[SEP]", "special": true}],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
                   "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100,
              "vocab": {"[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "a": 0, "b": 10, "c": 12345, "d": 999999, "e": 1000000,
                        "f": 12345678, "g": 2147483646}}
  })");
  std::string lines;
  std::string expected;
  // More lines than are printed together.
  for (int i = 0; i < 3000; ++i) {
    lines += "a b c d e f g h\n";
    expected += "2 0 10 12345 999999 1000000 12345678 2147483646 1 3\n";
  }
  write_bytes(folder_ / "in.txt", lines);
  EXPECT_EQ(run_expecting(0, {"tokenize", path("large"), path("in.txt")}).output, expected);
}

using Split = TinyProjectTest;

TEST_F(Split, PrintsASentenceALine) {
  const std::string first = file("a.txt", "\xEF\xBB\xBFOne. Two!  Mr. Three?\r\n\n  Four goes\non. \xC3\x84nd.\n");
  const std::string second = file("b.txt", "\xCE\xA4\xCE\xB9; \xCE\x9D\xCE\xB1\xCE\xB9.");
  const std::string expected = "One.\nTwo!\nMr. Three?\nFour goes\non.\n\xC3\x84nd.\n";
  EXPECT_EQ(run_program({"split", first}).output, expected);
  // The language is that of the option, and none of the environment.
  const RunSettings greek{.environment = {{"LC_ALL", "el_GR.UTF-8"}, {"LANG", "el_GR.UTF-8"}}};
  EXPECT_EQ(run_program({"split", first, second}, greek).output,
            expected + "\xCE\xA4\xCE\xB9; \xCE\x9D\xCE\xB1\xCE\xB9.\n");
  EXPECT_EQ(run_program({"split", second, first, "--locale", "el"}).output,
            "\xCE\xA4\xCE\xB9;\n\xCE\x9D\xCE\xB1\xCE\xB9.\nOne.\nTwo!\nMr.\nThree?\nFour goes\non.\n\xC3\x84nd.\n");
  EXPECT_EQ(run_program({"split", first}, 2).output, expected) << "by one of several ranks";
}

TEST_F(Split, PrintsLongTextsInPieces) {
  std::string text, expected;
  for (int i = 0; i < 20000; ++i) {
    text += concat("Sentence ", i, " is here. ", i % 10 == 9 ? "\n" : "");
    expected += concat("Sentence ", i, " is here.\n");
  }
  EXPECT_TRUE(run_program({"split", file("long.txt", text)}).output == expected);
}

TEST_F(Split, RefusesBadInput) {
  const std::string bad = file("bad.txt", "One.\nT\xFFwo.\nThree.\n"), good = file("good.txt", "Zero.\n");
  EXPECT_EQ(run_expecting(2, {"split", good, bad}, {"bad.txt:2", "is not valid UTF-8", "--skip-bad-lines"}).output, "")
      << "all files are looked at before";
  EXPECT_EQ(run_expecting(0, {"split", good, bad, "--skip-bad-lines"}, {"lines is left out", "bad.txt:2"}).output,
            "Zero.\nOne.\nThree.\n");
  run_expecting(2, {"split", good, "--locale", "en_US"}, {"\"en_US\" is no language tag", "de-AT"});
  run_expecting(2, {"split", good, path("missing.txt")}, {"missing.txt"});
  run_expecting(2, {"split", file("empty.txt", "")}, {"empty.txt: the file is empty"});
  run_expecting(2, {"split"}, {"TEXT is required"});
}

using HeldOut = TinyProjectTest;

/// Shards of a table that `datasets` wrote: 3 rows of a premise that a fraction of 0.99 holds out, by PyPI's xxhash
/// (0.9826), 3 of one of 0.0177, and 6 bad ones. Neither premise is split between the shards.
TEST_F(HeldOut, ExamplesOfAFolderOfShards) {
  for (const char* shard : {"hub/data/train-00000-of-00002.parquet", "hub/data/train-00001-of-00002.parquet"}) {
    std::filesystem::create_directories(folder_ / "hub/data");
    std::filesystem::copy(golden("tables/datasets.parquet"), folder_ / shard);
  }
  const std::string trial =
      file("trial.yaml", concat("format: gausscse-trial/2\nmodel: {backbone: {path: ", project_.model().string(),
                                "}}\noutput: out\ndata: {train: hub, bad_lines: skip}\ntasks: {dev: {kind: nli}}\n"));
  const auto errors_of = [&](const char* fraction) {
    return run_program({"train", trial, "--set", concat("data.dev_fraction=", fraction)}).errors;
  };
  if (!GAUSSCSE_HAS_PARQUET) {
    EXPECT_TRUE(says(errors_of("0.9"), "this is a Parquet table"));
    return;
  }
  EXPECT_TRUE(says(errors_of("0.9"),
                   "the held-out examples: none of its 6 pairs is an entailment (6 contradiction, the "
                   "first in "));
  EXPECT_TRUE(says(errors_of("0.99"), "data.dev_fraction 0.99 holds out all of the 2 premises of "));
  EXPECT_TRUE(says(errors_of("0.0176"), "data.dev_fraction 0.0176 holds out none of the 2 premises of "));
}

TEST(Generate, IsDeterministicAndTrainable) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  for (const char* name : {"a", "b"})
    run_expecting(0, {"generate", (folder / name).string(), "--train", "300", "--dev", "60", "--test", "60"});
  const std::string train = read_whole_file(folder / "a/train.jsonl", 1 << 24);
  EXPECT_EQ(train, read_whole_file(folder / "b/train.jsonl", 1 << 24));
  run_expecting(0, {"train", project.trial().string(), "--set", "output=generated", "--set",
                    "data.train=[" + (folder / "a/train.jsonl").string() + "]"});
}

TEST(Generate, PartsHaveTheirNumbersOfPairsAndFollowTheSeed) {
  const TemporaryFolder folder;
  const auto generate = [&](const char* name, const char* seed) {
    run_expecting(0,
                  {"generate", (folder / name).string(), "--train", "5", "--dev", "7", "--test", "11", "--seed", seed});
    std::vector<std::string> parts;
    for (const char* part : {"train.jsonl", "dev.jsonl", "test.jsonl"})
      parts.push_back(read_whole_file(folder / name / part, 1 << 20));
    return parts;
  };
  const std::vector<std::string> parts = generate("three", "3"), same = generate("again", "3"),
                                 other = generate("four", "4");
  const std::vector<std::ptrdiff_t> sizes{5, 7, 11};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(std::count(parts[i].begin(), parts[i].end(), '\n'), sizes[i]);
    EXPECT_EQ(parts[i], same[i]);
    EXPECT_NE(parts[i], other[i]);
  }
}

}  // namespace
}  // namespace gausscse
