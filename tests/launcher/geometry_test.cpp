#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using nlohmann::json;
using testing_support::ProgramRun;
using testing_support::run_program;
using testing_support::says;
using testing_support::TemporaryFolder;
using testing_support::TinyProject;
using testing_support::write_bytes;

class Geometry : public testing::Test {
 protected:
  Geometry() : project_(folder_.path()) {
    std::string lines, pairs;
    for (int i = 0; i < 24; ++i) {
      const std::string sentence = "w" + std::to_string(i % 5) + " w" + std::to_string(i % 3) + (i % 2 ? " w7 w1" : "");
      lines += sentence + "\n";
      pairs += "genre\tfile\tyear\t" + std::to_string(i) + "\t2.5\t" + sentence + "\tanother sentence\n";
    }
    write_bytes(text(), lines);
    write_bytes(sts(), pairs);
  }

  std::string text() const { return (folder_ / "sentences.txt").string(); }
  std::string sts() const { return (folder_ / "sts-test.csv").string(); }
  std::string report() const { return (folder_ / "report.json").string(); }
  std::string model() const { return project_.model().string(); }

  json measure(const std::string& file, const std::vector<std::string>& options = {}, int ranks = 0) {
    std::vector<std::string> arguments{"geometry", model(), file, "--json", report()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramRun run = run_program(arguments, ranks);
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    output_ = run.output;
    return json::parse(read_whole_file(report(), 1 << 20));
  }

  TemporaryFolder folder_;
  TinyProject project_;
  std::string output_;
};

TEST_F(Geometry, TellsEveryLayer) {
  const json report = measure(text());
  EXPECT_EQ(report["format"], "gausscse-report/1");
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

/// The encoder of a finished run is measured as it is; its head is not asked.
TEST_F(Geometry, TakesTheModelOfARun) {
  ASSERT_EQ(run_program(testing_support::train_arguments(project_, "run", {"training.keep=last"})).exit_code, 0);
  const json before = measure(text());
  const ProgramRun run =
      run_program({"geometry", (project_.output("run") / "model").string(), text(), "--json", report()});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const json after = json::parse(read_whole_file(report(), 1 << 20));
  EXPECT_NE(after["layers"][2]["norm"], before["layers"][2]["norm"]);
  EXPECT_EQ(after["tokens"], before["tokens"]);
}

TEST_F(Geometry, BadInputIsRefused) {
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& with) {
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.exit_code, 2) << run.errors;
    EXPECT_TRUE(says(run.errors, with));
  };
  write_bytes(folder_ / "one.txt", "w1 w2\n");
  refused({"geometry", model(), (folder_ / "one.txt").string()}, "there is one sentence: give at least two");
  write_bytes(folder_ / "bad.txt", "w1\n\xFF\n");
  refused({"geometry", model(), (folder_ / "bad.txt").string()}, "bad.txt:2");
  write_bytes(folder_ / "bad.csv", "a\tb\tc\td\t3\tf\tg\na\tb\n");
  refused({"geometry", model(), (folder_ / "bad.csv").string()}, "bad.csv:2");
  refused({"geometry", (folder_ / "no-model").string(), text()}, "no-model");
  refused({"geometry", model(), text(), "--json", text()}, "--json");
  refused({"geometry", model(), text(), "--samples", "1"}, "--samples");
}

}  // namespace
}  // namespace gausscse
