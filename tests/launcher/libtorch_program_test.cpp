#include "base/process.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// A LibTorch that the system cannot load: only a run that needs none of it succeeds.
class LibtorchProgram : public TinyProjectTest {
 protected:
  LibtorchProgram() {
    std::filesystem::create_directory(folder_ / "broken");
    file("broken/libtorch_cpu.so", "no library");
    file("in.txt", "w0 w1\nw3 w2 w2 w1 w0\nw4\n");
  }

  ProgramRun run_without_libtorch(const std::vector<std::string>& arguments, int ranks = 0) const {
    return run_program(arguments, {.ranks = ranks, .before = {"env", "LD_LIBRARY_PATH=" + path("broken")}});
  }

  /// Runs commands that write to `output`, on one and two ranks; returns what they write.
  std::string written_without_libtorch(const std::vector<std::string>& arguments, const std::string& output) const {
    for (const int ranks : {0, 2})
      EXPECT_TRUE(ended(run_without_libtorch(with(arguments, {"--overwrite"}), ranks), 0)) << arguments.front();
    return read_whole_file(path(output), 1 << 20);
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

TEST_F(LibtorchProgram, CommandsThatTrainNothingNeedNoLibtorch) {
  const std::string model = project_.model().string();
  const auto expect_runs = [&](const std::vector<std::string>& arguments, int exit_code = 0) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    const ProgramRun run = run_without_libtorch(arguments);
    EXPECT_EQ(run.exit_code, exit_code) << run.errors;
    EXPECT_FALSE(exit_code == 0 && run.output.empty());
  };
  expect_runs({"--version"});
  expect_runs({"--help"});
  const std::vector<std::string> commands = listed_commands();
  EXPECT_GE(commands.size(), 15u);
  for (const std::string& command : commands) expect_runs({command, "--help"});
  expect_runs({"trian"}, 2);
  expect_runs({"encode", "--no-such-option"}, 2);
  expect_runs({"completion", "zsh"});
  expect_runs({"train", "--keys"});
  expect_runs({"train", project_.trial().string(), "--print-config"});
  expect_runs({"train", path("none.yaml")}, 2);
  expect_runs({"lengths", project_.test().string()});
  expect_runs({"show", path("none.h5")}, 2);
  EXPECT_EQ(run_without_libtorch({"tokenize", model, file("words.txt", "w0 w1\nW3 nothing w2\n")}).output,
            "2 5 6 3\n2 8 1 7 3\n");
}

TEST_F(LibtorchProgram, TheSystemsLoaderLoadsNoLargeLibraryAtTheStart) {
  const ProgramRun run = run_program({"--version"}, {.before = {"env", "LD_TRACE_LOADED_OBJECTS=1"}});
  const auto is_loaded = [&](const char* name) { return run.output.find(name) != std::string::npos; };
  EXPECT_TRUE(is_loaded("libmpi")) << run.output;
  EXPECT_FALSE(is_loaded("libtorch")) << run.output;
  EXPECT_FALSE(is_loaded("libc10")) << run.output;
  EXPECT_EQ(is_loaded("libhdf5"), !GAUSSCSE_HAS_STATIC_HDF5) << run.output;
}

/// The shared object takes functions of HDF5 and of libraries from the program that loads it. One of ours there would
/// have other tensors.
TEST_F(LibtorchProgram, TheProgramWithLibtorchCallsNoFunctionOfTheOther) {
  run_expecting(0, train_arguments(project_), {},
                {.before = {"env", "LD_DEBUG=bindings", concat("LD_DEBUG_OUTPUT=", path("bindings"))}});
  std::size_t of_hdf5 = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (!entry.path().filename().string().starts_with("bindings.")) continue;
    std::istringstream lines(read_whole_file(entry.path(), 1 << 28));
    for (std::string line; std::getline(lines, line);) {
      if (line.find("to ") == std::string::npos || line.find("/gausscse [0]: ", line.find("to ")) == std::string::npos)
        continue;
      for (const char* ours : {"8gausscse", "_ZN2at", "_ZNK2at", "_ZN3c10", "_ZNK3c10"})
        EXPECT_EQ(line.find(ours), std::string::npos) << line;
      of_hdf5 += line.find("`H5") != std::string::npos;
    }
  }
  EXPECT_EQ(of_hdf5 > 0, GAUSSCSE_HAS_STATIC_HDF5);
}

/// The same values as the program with LibTorch has them: tests of these commands compare each with the model itself.
TEST_F(LibtorchProgram, CommandsThatUseAModelNeedNoLibtorch) {
  train_to_result(project_, "out", 0);
  const std::string sentences = path("in.txt"), pairs = file("pairs.txt", "w0 w1\tw2\n");
  const std::vector<std::string> options{"--precision", "fp32"}, for_plain{"--precision", "fp32", "--pooling", "mean"};
  for (const auto& [model, given] :
       {std::pair(project_.model().string(), for_plain), std::pair(path("out/model"), options)}) {
    SCOPED_TRACE(model);
    EXPECT_TRUE(ended(run_without_libtorch(with({"score", model, pairs}, given)), 0));
    const std::string rows =
        written_without_libtorch(with({"encode", model, sentences, path("rows.npz")}, given), "rows.npz");
    EXPECT_GT(rows.size(), 128u);
    EXPECT_GT(written_without_libtorch(with({"similarity", model, sentences, sentences, path("m.npy")}, given), "m.npy")
                  .size(),
              128u);
    const ProgramRun found = run_without_libtorch(with({"search", model, sentences, sentences}, given));
    EXPECT_TRUE(ended(found, 0));
    EXPECT_NE(found.output.find("w3 w2"), std::string::npos);
  }
  EXPECT_TRUE(ended(run_without_libtorch({"export", path("out/model"), path("exported.onnx"), "--as", "onnx"}), 0));
  EXPECT_TRUE(ended(run_without_libtorch({"show", path("out/result.h5")}), 0));
}

TEST_F(LibtorchProgram, ACommandThatTrainsReportsWhyLibtorchDoesNotLoad) {
  const std::vector<std::string> geometry{"geometry", project_.model().string(), path("in.txt")};
  const std::string problem = concat(
      "LibTorch or a library beside it cannot be loaded on host ", host_name(), ": ", path("broken/libtorch_cpu.so"),
      ": file too short: install the program with its folder lib/gausscse, or name the folder of LibTorch "
      "2.11.0's libraries in LD_LIBRARY_PATH; ");
  EXPECT_TRUE(ended(run_without_libtorch(geometry), 1, {"gausscse: error: " + problem}));
  EXPECT_TRUE(ended(run_without_libtorch(geometry, 2), 1, {"gausscse: error on rank 0: " + problem}));
  EXPECT_TRUE(ended(run_without_libtorch({"doctor"}), 1, {problem}));
  EXPECT_TRUE(ended(run_without_libtorch({"train", project_.trial().string()}), 1, {problem}));
  EXPECT_TRUE(ended(run_without_libtorch({"eval", project_.model().string(), "--test", project_.test().string()}), 1,
                    {problem}));
  EXPECT_FALSE(std::filesystem::exists(project_.output()));
}

TEST_F(LibtorchProgram, ALimitOnAddressSpaceIsNamed) {
  // LibTorch's code and data take 345 MB.
  run_expecting(1, {"geometry", project_.model().string(), path("in.txt")},
                {": failed to map segment from shared object: raise the limit on address space (ulimit -v)"},
                {.before = {"sh", "-c", "ulimit -v 300000; exec \"$0\" \"$@\""}});
}

/// Through program_server a training runs in the program with LibTorch at once; here the other one loads it first.
TEST_F(LibtorchProgram, ATrainingThatContinuesThereIsTheSame) {
  const auto weights = [&](const std::string& output, const std::vector<std::string>& before) {
    run_expecting(0, train_arguments(project_, path(output)), {}, {.before = before});
    return read_whole_file(project_.output(output) / "model/model.safetensors", 1 << 24);
  };
  const std::string expected = weights("served", {});
  EXPECT_GT(expected.size(), 1000u);
  EXPECT_EQ(weights("loaded", {"env"}), expected);
  EXPECT_EQ(weights("bound", {"env", "LD_BIND_NOW=1"}), expected);
}

}  // namespace
}  // namespace gausscse
