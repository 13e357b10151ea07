#include "tests/launcher/program.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// A command that is refused memory names those of its own settings that need less.
TEST(MemoryAdvice, IsThatOfTheCommand) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  save_tiny_model(project, folder / "saved", {});
  write_bytes(folder / "in.txt", "w1 w2\n");
  const auto expect_advice = [](const std::vector<std::string>& arguments, const std::string& advice) {
    // The parameters take more.
    run_expecting(1, arguments, {"gausscse: error: out of memory: " + advice, "you tried to allocate "},
                  {.environment = {{"LD_PRELOAD", GAUSSCSE_LARGEST_BLOCK}, {"GAUSSCSE_TEST_LARGEST_BLOCK", "10000"}}});
  };
  expect_advice({"train", project.trial().string()}, "let a rank embed fewer examples at a time (training.micro_batch");
  expect_advice({"encode", (folder / "saved").string(), (folder / "in.txt").string(), (folder / "out.h5").string()},
                "start fewer threads per rank (--threads");
}

}  // namespace
}  // namespace gausscse
