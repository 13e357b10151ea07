#include "launcher/machine/gpus.hpp"
#include "results/result_file.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

class DeviceOptions : public TinyProjectTest {
 protected:
  DeviceOptions() { write_bytes(folder_ / "in.txt", "w1 w2\tw3\n"); }

  /// Returns the commands that compute. What they are refused for here comes before a model is opened.
  std::vector<Arguments> commands() const {
    const std::string model = project_.model().string(), input = path("in.txt");
    return {train_arguments(project_),
            {"encode", model, input, path("out.h5")},
            {"score", model, input},
            {"eval", model, "--dev", project_.dev().string()},
            {"geometry", model, input}};
  }
};

TEST_F(DeviceOptions, AGpuIsRefusedByABuildWithoutCuda) {
  if (look_for_gpus().state != GpuInventory::State::not_built) GTEST_SKIP() << "this build has CUDA";
  for (const Arguments& command : commands()) {
    const ProgramRun run = run_program(with(command, {"--device", "cuda"}));
    EXPECT_EQ(run.exit_code, 2) << command[0];
    EXPECT_TRUE(
        says(run.errors,
             "gausscse: error: device cuda: this build of gausscse has no CUDA: take one that was built with the "
             "preset cuda; or give --device cpu"))
        << command[0];
  }
  EXPECT_FALSE(fs::exists(project_.output() / "result.h5"));
  const ProgramRun doctor = run_expecting(2, {"doctor", "--device", "cuda"});
  EXPECT_TRUE(says(doctor.output, "problem: device cuda: this build of gausscse has no CUDA"));
}

TEST_F(DeviceOptions, AllRanksMustBeAskedForTheSame) {
  for (const auto& [options, text] :
       {std::pair{Arguments{"--device", "cpu", "--share-gpu"},
                  "the device is not the same on all ranks: rank 0 has \"device auto\", rank 1 has \"device cpu\""},
        {{"--share-gpu"}, "rank 1 has \"GPUs may be shared\""}})
    for (const Arguments& command : commands())
      EXPECT_TRUE(ended(run_program(command, {.ranks = 2, .last_rank_arguments = with(command, options)}), 2, {text}))
          << command[0];
}

TEST_F(DeviceOptions, OfTrainAreTheTrialsKey) {
  const Arguments arguments = train_arguments(project_, "", {"device=cpu", "reproducibility=rank_invariant"});
  EXPECT_TRUE(says(run_program(with(arguments, {"--print-config"})).output, "\ndevice: cpu\n"));
  EXPECT_TRUE(says(run_program(with(arguments, {"--print-config", "--device", "auto"})).output, "\ndevice: auto\n"));
  run_expecting(2, with(arguments, {"--device", "cuda"}),
                {"device: cuda does not go with reproducibility: rank_invariant"});
  run_expecting(2, with(arguments, {"--device", "gpu"}));
}

TEST_F(DeviceOptions, GoIntoTheResultAndChangeNothingOfIt) {
  run_expecting(0, with(train_arguments(project_), {"--device", "cpu"}), {}, 2);
  const RunResult result = read_result(project_.output() / "result.h5");
  EXPECT_EQ(result.provenance.devices, (std::vector<std::string>{"cpu", "cpu"}));
  EXPECT_TRUE(says(result.configuration, "\ndevice: cpu\n"));
  // The trial itself says auto.
  run_expecting(0, train_arguments(project_), {"this trial has its result already"}, 2);
}

}  // namespace
}  // namespace gausscse
