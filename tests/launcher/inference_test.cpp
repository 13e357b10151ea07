#include <gtest/gtest.h>

#include <sstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using testing_support::ProgramRun;
using testing_support::run_program;
using testing_support::TemporaryFolder;
using testing_support::TinyProject;
using testing_support::write_bytes;

class Inference : public testing::Test {
 protected:
  Inference() : project_(folder_.path()) {
    const ProgramRun run = run_program({"train", project_.trial().string()});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    model_ = (project_.output() / "model").string();
  }
  std::string file(const std::string& name, const std::string& content) {
    write_bytes(folder_ / name, content);
    return (folder_ / name).string();
  }

  TemporaryFolder folder_;
  TinyProject project_;
  std::string model_;
};

TEST_F(Inference, TokenizePrintsTheIdsOfEachLine) {
  const ProgramRun run = run_program({"tokenize", project_.model().string(),
                                      file("in.txt", "\xEF\xBB\xBFw0 w1\nW3 nothing w2\r\n\n"), "--max-tokens", "4"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, "2 5 6 3\n2 8 1 3\n2 3\n");
}

TEST_F(Inference, EncodeGivesTheSameBitsForAnyThreads) {
  std::string lines;
  for (int i = 0; i < 600; ++i) lines.append(concat("w", i % 55, " w", i % 7, " w", i % 31, "\n"));
  // Several batches, and one.
  for (const std::string& input : {file("many.txt", lines), file("few.txt", lines.substr(0, 60))}) {
    std::string expected;
    for (const char* threads : {"1", "2", "3"}) {
      const fs::path output = folder_ / concat("threads-", threads);
      const ProgramRun run = run_program({"encode", model_, input, output.string(), "--threads", threads});
      ASSERT_EQ(run.exit_code, 0) << run.errors;
      const std::string bytes = read_whole_file(output, 1 << 22);
      if (expected.empty()) expected = bytes;
      EXPECT_TRUE(bytes == expected) << threads << " threads";
    }
  }
}

TEST_F(Inference, EncodeWritesOneFileWholeAndTheSameForAnyRanks) {
  const std::string input = file("in.txt", "w1 w2 w3\nw4\nw5 w6\n");
  const fs::path one = folder_ / "one.h5", two = folder_ / "two.h5";
  ASSERT_EQ(run_program({"encode", model_, input, one.string()}).exit_code, 0);
  ASSERT_EQ(run_program({"encode", model_, input, two.string()}, 2).exit_code, 0);
  EXPECT_GT(fs::file_size(one), 2u * 3 * 32 * 4);
  EXPECT_EQ(read_whole_file(one, 1 << 20), read_whole_file(two, 1 << 20));
}

TEST_F(Inference, ScorePrintsBothDirectionsAndAVerdict) {
  const ProgramRun run = run_program({"score", model_, file("pairs.tsv", "w1 w2\tw3\nw3\tw1 w2\nw1\tw1\n")});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  std::istringstream lines(run.output);
  std::string first_forward, first_backward, rest, second_forward, second_backward, third_forward, third_backward;
  std::getline(lines, first_forward, '\t');
  std::getline(lines, first_backward, '\t');
  std::getline(lines, rest);
  std::getline(lines, second_forward, '\t');
  std::getline(lines, second_backward, '\t');
  std::getline(lines, rest);
  std::getline(lines, third_forward, '\t');
  std::getline(lines, third_backward, '\t');
  EXPECT_EQ(first_forward, second_backward);
  EXPECT_EQ(first_backward, second_forward);
  EXPECT_NE(first_forward, first_backward);
  EXPECT_EQ(third_forward, "1.000000");
  EXPECT_EQ(third_backward, "1.000000");
}

TEST_F(Inference, BadFilesAreCodeTwo) {
  const std::string out = (folder_ / "out.h5").string();
  EXPECT_EQ(run_program({"encode", model_, file("empty.txt", ""), out}).exit_code, 2);
  const ProgramRun blank = run_program({"encode", model_, file("blank.txt", "w1\n \n"), out});
  EXPECT_EQ(blank.exit_code, 2);
  EXPECT_NE(blank.errors.find("blank.txt:2"), std::string::npos) << blank.errors;
  EXPECT_EQ(run_program({"encode", model_, file("bytes.txt", "w1 \xff\n"), out}).exit_code, 2);
  EXPECT_EQ(run_program({"encode", project_.model().string(), file("in.txt", "w1\n"), out}).exit_code, 2);
  EXPECT_EQ(run_program({"encode", "/nowhere", file("in.txt", "w1\n"), out}).exit_code, 2);
  EXPECT_EQ(run_program({"score", model_, file("one.tsv", "w1 w2\n")}).exit_code, 2);
  EXPECT_EQ(run_program({"eval", model_}).exit_code, 2);
  EXPECT_EQ(run_program({"eval", model_, "--test", "nameless.jsonl"}).exit_code, 2);
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(Inference, GenerateIsDeterministicAndTrainable) {
  for (const char* name : {"a", "b"})
    ASSERT_EQ(
        run_program({"generate", (folder_ / name).string(), "--train", "300", "--dev", "60", "--test", "60"}).exit_code,
        0);
  const std::string train = read_whole_file(folder_ / "a/train.jsonl", 1 << 24);
  EXPECT_EQ(train, read_whole_file(folder_ / "b/train.jsonl", 1 << 24));
  const ProgramRun run = run_program({"train", project_.trial().string(), "--set", "output=generated", "--set",
                                      "data.train=[" + (folder_ / "a/train.jsonl").string() + "]"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
}

}  // namespace
}  // namespace gausscse
