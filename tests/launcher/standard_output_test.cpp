#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

class StandardOutput : public TinyProjectTest {
 protected:
  StandardOutput() : saved_(path("saved")) { save_tiny_model(project_, saved_, {}); }
  static void expect_failure(const ProgramRun& run) {
    EXPECT_TRUE(ended(run, 2, {"gausscse: error: standard output: cannot be written to\n"}));
  }
  /// Expects that the command fails where no byte can be written.
  static void expect_failure_on_a_full_disk(const std::vector<std::string>& arguments) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    expect_failure(run_program(arguments, RunSettings{.standard_output = "/dev/full"}));
  }

  std::string saved_;
};

TEST_F(StandardOutput, ThatCannotBeWrittenIsAnError) {
  const std::string pairs = file("pairs.tsv", "w1 w2\tw3\n"), text = file("text.txt", "w1 w2\nw3 w1\n");
  const std::string model = project_.model().string();
  expect_failure_on_a_full_disk({"show", saved_});
  expect_failure_on_a_full_disk({"score", saved_, pairs});
  expect_failure_on_a_full_disk({"search", saved_, text, text});
  expect_failure_on_a_full_disk({"tokenize", model, text});
  expect_failure_on_a_full_disk({"geometry", model, text});
  expect_failure_on_a_full_disk({"eval", saved_, "--dev", project_.dev().string()});
  expect_failure_on_a_full_disk({"doctor", "--threads", "1"});
  expect_failure_on_a_full_disk({"train", project_.trial().string(), "--print-config"});
}

/// The result is there: to start it again prints it, and is all that is left to do.
TEST_F(StandardOutput, OfATrainingIsNotItsResult) {
  expect_failure_on_a_full_disk(train_arguments(project_));
  EXPECT_TRUE(std::filesystem::exists(project_.output() / "result.h5"));
  EXPECT_TRUE(says(run_expecting(0, train_arguments(project_), {"this trial has its result already"}).output, "tiny"));
}

/// A long output is written in pieces, each of which can fail.
TEST_F(StandardOutput, OfManyLinesIsWholeOrAnError) {
  constexpr std::size_t count = 20'000, room = 100'000;
  std::string lines, ids;
  for (std::size_t i = 0; i < count; ++i) {
    lines += "w" + std::to_string(i % 55) + "\n";
    ids += "2 " + std::to_string(5 + i % 55) + " 3\n";
  }
  ASSERT_GT(ids.size(), room);
  const std::vector<std::string> tokenize{"tokenize", project_.model().string(), file("lines.txt", lines)};
  EXPECT_TRUE(run_expecting(0, tokenize).output == ids);
  const ProgramRun cut = run_program(tokenize, RunSettings{.largest_file = room});
  expect_failure(cut);
  EXPECT_TRUE(ids.starts_with(cut.output));
}

}  // namespace
}  // namespace gausscse
