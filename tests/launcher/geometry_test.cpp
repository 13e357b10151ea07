#include <nlohmann/json.hpp>

#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using nlohmann::json;
class Geometry : public TinyProjectTest {
 protected:
  Geometry() {
    std::string lines, pairs;
    for (int i = 0; i < 24; ++i) {
      const std::string sentence = "w" + std::to_string(i % 5) + " w" + std::to_string(i % 3) + (i % 2 ? " w7 w1" : "");
      lines += sentence + "\n";
      pairs += "genre\tfile\tyear\t" + std::to_string(i) + "\t2.5\t" + sentence + "\tanother sentence\n";
    }
    write_bytes(text(), lines);
    write_bytes(sts(), pairs);
  }

  std::string text() const { return path("sentences.txt"); }
  std::string sts() const { return path("sts-test.csv"); }
  std::string report() const { return path("report.json"); }
  std::string model() const { return project_.model().string(); }

  json measure(const std::string& file, const std::vector<std::string>& options = {}, int ranks = 0) {
    return measure_model(model(), file, options, ranks);
  }
  json measure_model(const std::string& folder, const std::string& file, const std::vector<std::string>& options = {},
                     int ranks = 0) {
    const ProgramRun run =
        run_expecting(0, with({"geometry", folder, file, "--json", report(), "--overwrite"}, options), {}, ranks);
    output_ = run.output;
    return json::parse(read_whole_file(report(), 1 << 20));
  }

  /// Returns a model of other weights and of a vocabulary with MPNet's special tokens, the project's words in their
  /// reverse order, `absent` of them left out.
  std::string other_model(const std::string& name, int absent) {
    const std::filesystem::path to = folder_ / name;
    std::filesystem::copy(golden("weights/tiny-bert-old-names"), to, std::filesystem::copy_options::recursive);
    json config = json::parse(read_whole_file(to / "config.json", 1 << 20));
    config["pad_token_id"] = 1;
    write_bytes(to / "config.json", config.dump());
    std::string words = "<s>\n<pad>\n</s>\n<unk>\n";
    for (int i = 54; i >= 0; --i) words += (i < absent ? "x" : "w") + std::to_string(i) + "\n";
    write_bytes(to / "vocab.txt", words + "<mask>\n");
    write_bytes(to / "tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer", "cls_token": "<s>",
        "sep_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>", "mask_token": "<mask>"})");
    return to.string();
  }

  std::string output_;
};

TEST_F(Geometry, ReportsEveryLayer) {
  const json report = measure(text());
  EXPECT_EQ(report["format"], "gausscse-report/2");
  EXPECT_EQ(report["kind"], "geometry");
  EXPECT_EQ(report["sentences"], 24);
  EXPECT_EQ(report["longest"], 6);
  ASSERT_EQ(report["layers"].size(), 3u);
  for (const json& layer : report["layers"])
    for (const char* name :
         {"anisotropy", "sampled_anisotropy", "self_similarity", "intra_sentence_similarity",
          "adjusted_self_similarity", "adjusted_intra_sentence_similarity", "norm", "norm_of_sentences"})
      EXPECT_TRUE(layer.at(name).is_number()) << name;
  EXPECT_EQ(report["rogue"]["share_of_top"].size(), 3u);
  EXPECT_EQ(report["rogue"]["top"].size(), 10u);
  EXPECT_TRUE(report["rogue"]["dimensions_reaching"]["0.5"].is_number());
  EXPECT_TRUE(report["rogue_over_tokens"]["top"].is_array());
  EXPECT_EQ(report["informativity"][0]["removed"], 1);
  EXPECT_TRUE(says(output_, "24 sentences, "));
  EXPECT_TRUE(says(output_, "\nlayer  anisotropy"));
}

TEST_F(Geometry, RanksShareTheWork) {
  const json alone = measure(text()), of_three = measure(text(), {}, 3);
  ASSERT_EQ(of_three["layers"].size(), 3u);
  for (std::size_t layer = 0; layer < 3; ++layer)
    for (const auto& [name, value] : alone["layers"][layer].items())
      EXPECT_NEAR(of_three["layers"][layer][name].get<double>(), value.get<double>(), 1e-9) << name << layer;
  EXPECT_EQ(of_three["rogue"]["top"], alone["rogue"]["top"]);
}

TEST_F(Geometry, OptionsAreFollowed) {
  const json plain = measure(text());
  EXPECT_EQ(measure(sts())["layers"], plain["layers"]);
  const json padded = measure(text(), {"--pads"});
  EXPECT_EQ(padded["ids"], plain["ids"].get<int>() + 1);
  EXPECT_NE(padded["layers"][2]["self_similarity"], plain["layers"][2]["self_similarity"]);
  const json few = measure(text(), {"--samples", "4", "--draws", "3"});
  EXPECT_NE(few["layers"][2]["sampled_anisotropy"], plain["layers"][2]["sampled_anisotropy"]);
  EXPECT_EQ(few["layers"][2]["anisotropy"], plain["layers"][2]["anisotropy"]);
  EXPECT_NE(few["informativity"], measure(text(), {"--samples", "4", "--draws", "3", "--seed", "5"})["informativity"]);
  EXPECT_TRUE(measure(text(), {"--draws", "0"})["informativity"].empty());
  EXPECT_NE(measure(text(), {"--precision", "bf16"})["layers"][2]["norm"], plain["layers"][2]["norm"]);
}

/// The model has 70 positions.
TEST_F(Geometry, ReportsCutSentences) {
  std::string longer = "w1";
  for (int i = 0; i < 80; ++i) longer += " w2";
  write_bytes(folder_ / "long.txt", longer + "\nw1 w2\n" + longer + " w3\n");
  run_expecting(0, {"geometry", model(), path("long.txt")},
                {"long.txt: 2 sentences have more than 70 tokens and are cut"}, 2);
}

/// The encoder of a finished run is measured as it is; its head is not asked.
TEST_F(Geometry, TakesTheModelOfARun) {
  run_expecting(0, train_arguments(project_, "run", without_select));
  const json before = measure(text());
  run_expecting(0,
                {"geometry", (project_.output("run") / "model").string(), text(), "--json", report(), "--overwrite"});
  const json after = json::parse(read_whole_file(report(), 1 << 20));
  EXPECT_NE(after["layers"][2]["norm"], before["layers"][2]["norm"]);
  EXPECT_EQ(after["tokens"], before["tokens"]);
}

/// As the model before measured alone in that precision.
TEST_F(Geometry, BothModelsComputeInThePrecisionAskedFor) {
  const std::string before = other_model("other", 0);
  const auto sum_before = [&](const std::vector<std::string>& options) {
    const std::vector<std::string> all = with({"--before", before}, options);
    double sum = 0;
    const json report = measure(text(), all);
    const json& tokens = report["self_similarity_change"]["tokens"];
    for (const json& token : tokens) sum += token["before"].get<double>();
    return sum / static_cast<double>(tokens.size());
  };
  const double alone = measure_model(before, text(), {"--precision", "bf16"})["layers"][2]["adjusted_self_similarity"];
  EXPECT_NEAR(sum_before({"--precision", "bf16"}), alone, 1e-9);
  EXPECT_GT(std::abs(sum_before({}) - alone), 1e-7);
}

/// With the metrics of both models measured alone: the mean of the tokens' is that of the layer.
TEST_F(Geometry, ChangeOfSelfSimilarityIsOfTheSameStrings) {
  const std::string before = other_model("other", 0);
  for (const char* pads : {"--draws=1", "--pads"}) {
    const json report = measure(text(), {"--before", before, pads}), &change = report["self_similarity_change"];
    const json of_before = measure_model(before, text(), {pads});
    EXPECT_EQ(report["layers"], measure(text(), {pads})["layers"]);
    EXPECT_EQ(change["before"], before);
    EXPECT_EQ(change["left_out"], 0);
    // 24 sentences of w(i % 5) and w(i % 3), every second followed by w7 and w1; the shorter half has two pads each.
    std::map<std::string, int> occurrences;
    int previous = 1000;
    double sum_before = 0, sum_after = 0;
    for (const json& token : change["tokens"]) {
      occurrences[token["token"]] = token["occurrences"];
      sum_before += token["before"].get<double>();
      sum_after += token["after"].get<double>();
      EXPECT_NEAR(token["change"], token["after"].get<double>() - token["before"].get<double>(), 1e-12);
      EXPECT_LE(token["occurrences"], previous);
      previous = token["occurrences"];
    }
    std::map<std::string, int> expected{{"[CLS]", 24}, {"[SEP]", 24}, {"w7", 12}, {"w1", 12}};
    for (int i = 0; i < 24; ++i) {
      ++expected["w" + std::to_string(i % 5)];
      ++expected["w" + std::to_string(i % 3)];
    }
    if (pads == std::string("--pads")) expected["[PAD]"] = 24;
    EXPECT_EQ(expected.extract("w4").mapped(), 4) << "too few to count";
    EXPECT_EQ(occurrences, expected);
    const auto mean = [&](double sum) { return sum / static_cast<double>(expected.size()); };
    EXPECT_NEAR(mean(sum_before), of_before["layers"][2]["adjusted_self_similarity"], 1e-9);
    EXPECT_NEAR(mean(sum_after), report["layers"][2]["adjusted_self_similarity"], 1e-9);
    EXPECT_GT(std::abs(sum_before - sum_after), 1e-3) << "else the models are the same";
  }
}

TEST_F(Geometry, ChangeOfSelfSimilarityLeavesOutWhatOneModelLacks) {
  const std::string before = other_model("other", 2);
  const json all = measure(text(), {"--before", before}), &change = all["self_similarity_change"];
  EXPECT_EQ(change["left_out"], 2);  // w0 and w1
  ASSERT_EQ(change["tokens"].size(), 5u);
  EXPECT_TRUE(says(output_, "change of adjusted self-similarity since " + before + ": 5 tokens, 2 left out\nlowest "));
  EXPECT_TRUE(says(output_, "\nhighest "));
  EXPECT_TRUE(says(output_, "\n\"w7\" "));
  EXPECT_FALSE(says(output_, "\"w1\""));
  const json few = measure(text(), {"--before", before, "--frequent", "4"})["self_similarity_change"];
  EXPECT_EQ(few["tokens"].size() + few["left_out"].get<std::size_t>(), 4u);
  for (std::size_t i = 0; i < few["tokens"].size(); ++i) EXPECT_EQ(few["tokens"][i], change["tokens"][i]) << i;
  EXPECT_FALSE(measure(text()).contains("self_similarity_change"));

  const json of_ranks = measure(text(), {"--before", before}, 3)["self_similarity_change"];
  const json reverse = measure_model(before, text(), {"--before", model()})["self_similarity_change"];
  ASSERT_EQ(of_ranks["tokens"].size(), 5u);
  ASSERT_EQ(reverse["tokens"].size(), 5u);
  std::map<std::string, double> backwards;
  for (const json& token : reverse["tokens"]) backwards[token["token"]] = token["change"];
  backwards["[CLS]"] = backwards["<s>"];
  backwards["[SEP]"] = backwards["</s>"];
  for (std::size_t i = 0; i < 5; ++i) {
    const double value = change["tokens"][i]["change"];
    EXPECT_EQ(of_ranks["tokens"][i]["token"], change["tokens"][i]["token"]);
    EXPECT_NEAR(of_ranks["tokens"][i]["change"], value, 1e-9);
    EXPECT_NEAR(backwards.at(change["tokens"][i]["token"]), -value, 1e-12);
  }
}

/// Reversed, every change is the opposite.
TEST_F(Geometry, ChangesOfTwoPairsOfModelsAreCorrelated) {
  const std::string before = other_model("other", 0), one = path("one.json");
  EXPECT_FALSE(measure(text(), {"--before", before})["self_similarity_change"].contains("correlation"));
  write_bytes(one, read_whole_file(report(), 1 << 20));
  for (const int ranks : {0, 2}) {
    for (const bool reversed : {false, true}) {
      const json found = measure_model(reversed ? before : model(), text(),
                                       {"--before", reversed ? model() : before, "--changes-of", one}, ranks);
      const json& correlation = found["self_similarity_change"]["correlation"];
      EXPECT_EQ(correlation["with"], one);
      EXPECT_EQ(correlation["least"], 4);
      ASSERT_EQ(correlation["by_count"].size(), 2u) << "w0, w1, w2, w3 and w7";
      for (const json& r : correlation["by_count"]) EXPECT_NEAR(r.get<double>(), reversed ? -1 : 1, 1e-6);
      EXPECT_TRUE(says(output_, "correlation of the changes with those of " + one));
    }
  }
  const auto refused = [&](const std::vector<std::string>& options, const std::string& part) {
    run_expecting(2, with({"geometry", model(), text()}, options), {part});
  };
  refused({"--changes-of", one}, "--before");
  refused({"--before", before, "--changes-of", text()}, "sentences.txt:1");
  measure(text());
  refused({"--before", before, "--changes-of", report()}, "report.json: it has no changes of self-similarity");
  refused({"--before", before, "--changes-of", one, "--json", one}, "--changes-of");
}

TEST_F(Geometry, BadInputIsRefused) {
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& part) {
    run_expecting(2, arguments, {part});
  };
  write_bytes(folder_ / "one.txt", "w1 w2\n");
  refused({"geometry", model(), path("one.txt")}, "there is one sentence: give at least two");
  write_bytes(folder_ / "bad.txt", "w1\n\xFF\n");
  refused({"geometry", model(), path("bad.txt")}, "bad.txt:2");
  write_bytes(folder_ / "bad.csv", "a\tb\tc\td\t3\tf\tg\na\tb\n");
  refused({"geometry", model(), path("bad.csv")}, "bad.csv:2");
  refused({"geometry", path("no-model"), text()}, "no-model");
  refused({"geometry", model(), text(), "--json", text()}, "--json");
  refused({"geometry", model(), text(), "--samples", "1"}, "--samples");
  refused({"geometry", model(), text(), "--before", path("no-model")}, "no-model");
  refused({"geometry", model(), path("one.txt"), "--before", model()}, "there is one sentence");
  refused({"geometry", model(), text(), "--frequent", "5"}, "--before");
  refused({"geometry", model(), text(), "--before", model(), "--frequent", "0"}, "--frequent");
  refused({"geometry", model(), text(), "--before", model(), "--json", (project_.model() / "vocab.txt").string()},
          "--json");
  // No id occurs five times, and no string is in both vocabularies.
  write_bytes(folder_ / "short.txt", "w1 w2\nw3\n");
  refused({"geometry", model(), path("short.txt"), "--before", model()}, "--before");
  const std::filesystem::path foreign = folder_ / "foreign";
  std::filesystem::copy(model(), foreign, std::filesystem::copy_options::recursive);
  std::string words = "a\nb\nc\nd\ne\n";
  for (int i = 0; i < 55; ++i) words += "x" + std::to_string(i) + "\n";
  write_bytes(foreign / "vocab.txt", words);
  write_bytes(foreign / "tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer", "pad_token": "a",
      "unk_token": "b", "cls_token": "c", "sep_token": "d", "mask_token": "e"})");
  refused({"geometry", model(), text(), "--before", foreign.string()},
          "none of the most frequent tokens of " + text() + " has a self-similarity in both models");
}

}  // namespace
}  // namespace gausscse
