#include "launcher/machine/gpus.hpp"

#include "launcher/machine/gpu_report.hpp"
#include "tests/launcher/machine/pretended_gpus.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using State = GpuInventory::State;

TEST(GpuInventory, IsTheSameWhenSent) {
  GpuInventory sent = inventory({gpu(2), gpu(1, 80)});
  sent.not_peers = {{0, 1}};
  sent.visible_devices = "2,\"1\n";
  sent.failure = "none";
  sent.is_mps_served = true;
  sent.device_files = {"/dev/nvidia0"};
  EXPECT_EQ(parse_gpus(to_text(sent)), sent);
  for (const State state :
       {State::found, State::not_built, State::no_driver, State::old_driver, State::none_visible, State::failed})
    EXPECT_EQ(parse_gpus(to_text(none(state))), none(state));
  EXPECT_EQ(parse_gpus(to_text(GpuInventory())), GpuInventory());
}

TEST(GpuInventory, AnEnvironmentOfAnyBytesCanBeSent) {
  GpuInventory sent;
  sent.visible_devices = "\xff\xfe";
  EXPECT_TRUE(parse_gpus(to_text(sent)).visible_devices.has_value());
}

TEST(GpuInventory, HereTellsWhatItSees) {
  const GpuInventory here = look_for_gpus();
  EXPECT_EQ(here.state == State::found, !here.gpus.empty());
  EXPECT_EQ(usable_gpus(here).empty(), !why_no_gpu(here).empty());
  if (here.state == State::not_built)
    EXPECT_EQ(here.runtime_version, 0);
  else
    EXPECT_GE(here.runtime_version, 13000);
}

TEST(GpuNames, HaveVersionsAsPeopleWriteThem) {
  EXPECT_EQ(cuda_version_text(13000), "13.0");
  EXPECT_EQ(cuda_version_text(12080), "12.8");
  EXPECT_EQ(capability_text(86), "8.6");
  EXPECT_EQ(capability_text(120), "12.0");
}

TEST(GpuReport, OfABuildWithoutCudaIsOneLine) {
  GpuInventory blind;
  EXPECT_EQ(gpu_report({{"a", blind}, {"b", blind}}, {}), "GPUs: this build computes on CPUs only\n");
  blind.device_files = {"/dev/nvidia0", "/dev/nvidia1"};
  EXPECT_EQ(gpu_report({{"a", {}}, {"b", blind}}, {}),
            "GPUs: this build computes on CPUs only, and cannot use those of b (/dev/nvidia0)\n");
}

TEST(GpuReport, ReportsWhichRankHasWhichGpu) {
  GpuInventory of_node = inventory({gpu(3), gpu(2), gpu(1)});
  of_node.not_peers = {{0, 2}};
  of_node.is_mps_served = true;
  const std::vector<RankGpus> ranks{{"a", of_node}, {"a", of_node}, {"b", inventory({gpu(7), gpu(8)})}};
  const std::vector<ComputeDevice> chosen = choose_devices({.choice = setting::Device::cuda}, ranks);
  EXPECT_EQ(
      gpu_report(ranks, chosen),
      "GPUs: CUDA 13.0, driver for CUDA 13.1, kernels for compute capability 8.0 and later\na, GPU 0000:01:00.0: "
      "NVIDIA H100, 81560 MB, compute capability 9.0, GPU-1, of no rank\na, GPU 0000:02:00.0: NVIDIA H100, 81561 "
      "MB, compute capability 9.0, GPU-2, of rank 1\na, GPU 0000:03:00.0: NVIDIA H100, 81562 MB, compute "
      "capability 9.0, GPU-3, of rank 0\na: GPUs 0000:03:00.0 and 0000:01:00.0 cannot access each other's memory "
      "and exchange data through the host's\na: MPS serves it: kernels of processes that share a GPU run at "
      "once\nb, GPU 0000:07:00.0: NVIDIA H100, 81566 MB, compute capability 9.0, "
      "GPU-7, of rank 2\nb, GPU 0000:08:00.0: NVIDIA H100, 81567 MB, compute capability 9.0, GPU-8, of no "
      "rank\nb: without MPS, processes that share a GPU take turns\nb: its GPUs can access each other's memory\n");
}

TEST(GpuReport, OfRanksThatSeeTheirOwnAndShareThem) {
  const std::vector<RankGpus> ranks{{"a", inventory({gpu(0)})}, {"a", inventory({gpu(1)})}, {"a", inventory({gpu(1)})}};
  const std::vector<ComputeDevice> chosen = choose_devices({.choice = setting::Device::cuda, .share_gpu = true}, ranks);
  EXPECT_EQ(gpu_report(ranks, chosen),
            "GPUs: CUDA 13.0, driver for CUDA 13.1, kernels for compute capability 8.0 and later\n"
            "a, GPU 0000:00:00.0: NVIDIA H100, 81559 MB, compute capability 9.0, GPU-0, of rank 0\n"
            "a, GPU 0000:01:00.0: NVIDIA H100, 81560 MB, compute capability 9.0, GPU-1, of rank 1, 2\n"
            "a: without MPS, processes that share a GPU take turns\n");
}

TEST(GpuReport, ReportsWhyARankHasNone) {
  GpuInventory missing = none(State::no_driver);
  missing.driver_version = 0;
  EXPECT_EQ(gpu_report({{"a", missing}, {"b", inventory({gpu(0)})}}, {}),
            concat("GPUs: CUDA 13.0, no driver, kernels for compute capability 8.0 and later\nrank 0 has no GPU: ",
                   why_no_gpu(missing),
                   "\nb, GPU 0000:00:00.0: NVIDIA H100, 81559 MB, compute capability 9.0, GPU-0, of no rank\n",
                   "b: without MPS, processes that share a GPU take turns\n"));
}

}  // namespace
}  // namespace gausscse
