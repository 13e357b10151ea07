#include "base/process.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// A LibTorch that the system cannot load: only a run that does not load it succeeds. Runs are compared with those of
/// program_server, which is linked with LibTorch.
class LibtorchOnDemand : public TinyProjectTest {
 protected:
  LibtorchOnDemand() {
    std::filesystem::create_directory(folder_ / "broken");
    file("broken/libtorch_cpu.so", "no library");
  }

  ProgramRun run_without_libtorch(const std::vector<std::string>& arguments, int ranks = 0) const {
    return run_program(arguments, {.ranks = ranks, .before = {"env", "LD_LIBRARY_PATH=" + path("broken")}});
  }

  void expect_same_without_libtorch(const std::vector<std::string>& arguments, int exit_code) const {
    SCOPED_TRACE(testing::PrintToString(arguments));
    const ProgramRun expected = run_program(arguments), run = run_without_libtorch(arguments);
    EXPECT_EQ(expected.exit_code, exit_code) << expected.errors;
    EXPECT_EQ(run.exit_code, exit_code) << run.errors;
    EXPECT_EQ(run.output, expected.output);
    if (exit_code != 0) {
      EXPECT_EQ(run.errors, expected.errors);
    }
  }
};

/// Returns the commands that the program's help lists.
std::vector<std::string> listed_commands() {
  std::istringstream help(run_program({"--help"}).output);
  std::vector<std::string> commands;
  bool is_listed = false;
  for (std::string line; std::getline(help, line);) {
    is_listed = is_listed || line == "Train:";
    if (is_listed && line.starts_with("  ") && line[2] != ' ')
      commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return commands;
}

TEST_F(LibtorchOnDemand, CommandsThatComputeNothingDoNotLoadIt) {
  const std::string model = project_.model().string(), sentences = file("in.txt", "w0 w1\nW3 nothing w2\n");
  expect_same_without_libtorch({"--version"}, 0);
  expect_same_without_libtorch({"--help"}, 0);
  const std::vector<std::string> commands = listed_commands();
  EXPECT_GE(commands.size(), 15u);
  for (const std::string& command : commands) expect_same_without_libtorch({command, "--help"}, 0);
  expect_same_without_libtorch({"trian"}, 2);
  expect_same_without_libtorch({"encode", "--no-such-option"}, 2);
  expect_same_without_libtorch({"completion", "zsh"}, 0);
  expect_same_without_libtorch({"train", "--keys"}, 0);
  expect_same_without_libtorch({"train", project_.trial().string(), "--print-config"}, 0);
  expect_same_without_libtorch({"lengths", project_.test().string()}, 0);
  expect_same_without_libtorch({"show", path("none.h5")}, 2);
  EXPECT_EQ(run_without_libtorch({"tokenize", model, sentences}).output, "2 5 6 3\n2 8 1 7 3\n");
}

TEST_F(LibtorchOnDemand, TheSystemsLoaderLoadsNoLargeLibraryAtTheStart) {
  const ProgramRun run = run_program({"--version"}, {.before = {"env", "LD_TRACE_LOADED_OBJECTS=1"}});
  const auto is_loaded = [&](const char* name) { return run.output.find(name) != std::string::npos; };
  EXPECT_TRUE(is_loaded("libc10.so")) << run.output;
  EXPECT_FALSE(is_loaded("libtorch_cpu")) << run.output;
  EXPECT_EQ(is_loaded("libhdf5"), !GAUSSCSE_HAS_STATIC_HDF5) << run.output;
}

TEST_F(LibtorchOnDemand, ResultsAreShownWithoutIt) {
  train_to_result(project_, "out", 0);
  expect_same_without_libtorch({"show", path("out/result.h5")}, 0);
}

/// Embeds with a plain model and with a Gaussian one, on one and two ranks.
TEST_F(LibtorchOnDemand, EmbeddingCommandsDoNotLoadIt) {
  train_to_result(project_, "out", 0);
  const std::string sentences = file("in.txt", "w0 w1\nw3 w2 w2 w1 w0\nw4\n"), pairs = file("pairs.txt", "w0 w1\tw2\n");
  const std::string plain = project_.model().string(), gaussian = path("out/model");
  const std::vector<std::string> options{"--precision", "fp32"}, for_plain{"--precision", "fp32", "--pooling", "mean"};
  for (const auto& [model, given] : {std::pair(plain, for_plain), std::pair(gaussian, options)}) {
    expect_same_without_libtorch(with({"score", model, pairs}, given), 0);
    for (const int ranks : {0, 2}) {
      const std::string rows = path(concat("rows", ranks, model == plain ? ".npy" : ".safetensors"));
      const std::string matrix = path(concat("matrix", ranks, model == plain, ".npy"));
      const std::vector<std::string> encode = with({"encode", model, sentences, rows, "--overwrite"}, given);
      const std::vector<std::string> compare =
          with({"similarity", model, sentences, sentences, matrix, "--overwrite"}, given);
      const auto outputs = [&] { return read_whole_file(rows, 1 << 20) + read_whole_file(matrix, 1 << 20); };
      run_expecting(0, encode, {}, ranks);
      run_expecting(0, compare, {}, ranks);
      const std::string expected = outputs();
      EXPECT_GT(expected.size(), 300u);
      EXPECT_TRUE(ended(run_without_libtorch(encode, ranks), 0));
      EXPECT_TRUE(ended(run_without_libtorch(compare, ranks), 0));
      EXPECT_EQ(outputs(), expected);
    }
  }
}

TEST_F(LibtorchOnDemand, ACommandThatComputesReportsWhyItDoesNotLoad) {
  const std::vector<std::string> geometry{"geometry", project_.model().string(), file("in.txt", "w0 w1\nw1 w2\n")};
  const std::string problem =
      concat("LibTorch cannot be loaded on host ", host_name(), ": ", path("broken/libtorch_cpu.so"),
             ": file too short: install the program again with its folder lib/gausscse, or name the folder of "
             "LibTorch 2.11.0's libraries in LD_LIBRARY_PATH\n");
  EXPECT_TRUE(ended(run_without_libtorch(geometry), 1, {"gausscse: error: " + problem}));
  EXPECT_TRUE(ended(run_without_libtorch(geometry, 2), 1, {"gausscse: error on rank 0: " + problem}));
  EXPECT_TRUE(ended(run_without_libtorch({"doctor"}), 1, {problem}));
}

TEST_F(LibtorchOnDemand, ALimitOnAddressSpaceIsNamed) {
  const std::vector<std::string> geometry{"geometry", project_.model().string(), file("in.txt", "w0 w1\nw1 w2\n")};
  // LibTorch's code and data take 345 MB.
  run_expecting(1, geometry,
                {": failed to map segment from shared object: raise the limit on address space (ulimit -v)"},
                {.before = {"sh", "-c", "ulimit -v 300000; exec \"$0\" \"$@\""}});
}

/// As some clusters set it: the system's loader resolves every function at the start of a program.
TEST_F(LibtorchOnDemand, ComputesTheSameAsAProgramThatIsLinkedWithIt) {
  const std::string sentences = file("in.txt", "w0 w1\nw3 w2 w2 w1 w0\n\n");
  const auto embeddings = [&](const std::string& name, const std::vector<std::string>& before) {
    run_expecting(0, {"encode", project_.model().string(), sentences, path(name), "--pooling", "mean"}, {},
                  {.before = before});
    return read_whole_file(path(name), 1 << 20);
  };
  const std::string expected = embeddings("linked.npy", {});
  EXPECT_GT(expected.size(), 128u);
  EXPECT_EQ(embeddings("loaded.npy", {"env"}), expected);
  EXPECT_EQ(embeddings("bound.npy", {"env", "LD_BIND_NOW=1"}), expected);
}

}  // namespace
}  // namespace gausscse
