#include "launcher/machine/compute_device.hpp"

#include "tests/launcher/machine/pretended_gpus.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using setting::Device;
using State = GpuInventory::State;

/// Returns an inventory that CUDA_VISIBLE_DEVICES made.
GpuInventory showing(const std::string& visible, GpuInventory of) {
  of.visible_devices = visible;
  return of;
}

std::string refused(const DeviceRequest& request, const std::vector<RankGpus>& ranks) {
  return refusal_of([&] { choose_devices(request, ranks); });
}

/// Returns the device of each rank: "cpu", or the number of its GPU and whose it is.
std::vector<std::string> chosen(const DeviceRequest& request, const std::vector<RankGpus>& ranks) {
  std::vector<std::string> devices;
  const std::vector<ComputeDevice> of_ranks = choose_devices(request, ranks);
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    const at::Device device = of_ranks[rank].device;
    if (device.is_cpu()) {
      EXPECT_EQ(of_ranks[rank].name, "cpu");
      devices.emplace_back("cpu");
      continue;
    }
    const Gpu& gpu = ranks[rank].inventory.gpus.at(static_cast<std::size_t>(device.index()));
    EXPECT_EQ(of_ranks[rank].name, name_of(gpu));
    devices.push_back(concat(static_cast<int>(device.index()), " ", gpu.uuid));
  }
  return devices;
}

using Devices = std::vector<std::string>;
constexpr DeviceRequest cuda{.choice = Device::cuda}, automatic{.choice = Device::automatic},
    cpu{.choice = Device::cpu}, shared{.choice = Device::cuda, .share_gpu = true};

TEST(ChooseDevices, ARankByItselfTakesTheFirstGpu) {
  for (const DeviceRequest& request : {cuda, automatic})
    EXPECT_EQ(chosen(request, {{"a", inventory({gpu(4), gpu(5)})}}), Devices{"0 GPU-4"});
  EXPECT_EQ(chosen(cpu, {{"a", inventory({gpu(4)})}}), Devices{"cpu"});
  EXPECT_EQ(choose_devices(cuda, {{"a", inventory({gpu(4)})}})[0].name, "NVIDIA H100 (compute capability 9.0)");
}

TEST(ChooseDevices, RanksOfANodeTakeAGpuEach) {
  const GpuInventory one = inventory({gpu(0), gpu(1), gpu(2)}), other = inventory({gpu(7), gpu(8)});
  EXPECT_EQ(chosen(automatic, {{"a", one}, {"a", one}, {"b", other}, {"b", other}}),
            (Devices{"0 GPU-0", "1 GPU-1", "0 GPU-7", "1 GPU-8"}));
  // Ranks may alternate between nodes.
  EXPECT_EQ(chosen(cuda, {{"a", one}, {"b", other}, {"a", one}, {"b", other}}),
            (Devices{"0 GPU-0", "0 GPU-7", "1 GPU-1", "1 GPU-8"}));
}

/// As mpirun's wrappers and Slurm's --gpus-per-task have it: each sees one GPU, which is number 0 to it.
TEST(ChooseDevices, RanksThatSeeOnlyTheirOwnGpuTakeIt) {
  const std::vector<RankGpus> ranks{{"a", showing("0", inventory({gpu(0)}))},
                                    {"a", showing("1", inventory({gpu(1)}))},
                                    {"a", showing("2,3", inventory({gpu(2), gpu(3)}))},
                                    {"b", showing("0", inventory({gpu(9)}))}};
  EXPECT_EQ(chosen(cuda, ranks), (Devices{"0 GPU-0", "0 GPU-1", "0 GPU-2", "0 GPU-9"}));
  EXPECT_FALSE(choose_devices(cuda, ranks)[0].gpus_are_shared);
}

TEST(ChooseDevices, FewerGpusThanRanksAreRefused) {
  const GpuInventory two = inventory({gpu(0), gpu(1)});
  for (const DeviceRequest& request : {cuda, automatic})
    EXPECT_EQ(
        refused(request, {{"z", two}, {"a", inventory({gpu(7)})}, {"z", two}, {"z", two}}),
        "z: 3 ranks for 2 GPUs: rank 3 would compute on the same GPU as rank 0, NVIDIA H100 GPU-0: start at most 2 "
        "ranks there, give --device cpu, or --share-gpu, by which ranks share GPUs and are slower");
}

TEST(ChooseDevices, TwoRanksThatSeeTheSameGpuAloneAreRefused) {
  const std::vector<RankGpus> ranks{{"a", showing("0", inventory({gpu(0)}))},
                                    {"a", showing("1", inventory({gpu(1)}))},
                                    {"a", showing("1", inventory({gpu(1)}))},
                                    {"a", showing("2", inventory({gpu(2)}))}};
  EXPECT_EQ(refused(cuda, ranks),
            "a: 4 ranks for 3 GPUs: rank 2 would compute on the same GPU as rank 1, NVIDIA H100 GPU-1 (its "
            "CUDA_VISIBLE_DEVICES is \"1\"): start at most 3 ranks there, give --device cpu, or --share-gpu, by which "
            "ranks share GPUs and are slower");
  // There would be one for each.
  EXPECT_TRUE(
      says(refused(cuda, {{"a", inventory({gpu(0), gpu(1)})}, {"a", showing("0", inventory({gpu(0)}))}}),
           "a: 2 ranks for 2 GPUs, but some ranks see only the same one: rank 1 would compute on the same GPU as rank "
           "0, NVIDIA H100 GPU-0 (its CUDA_VISIBLE_DEVICES is \"0\"): start each rank with its own GPU, "));
}

TEST(ChooseDevices, RanksShareGpusWhereTheyMay) {
  const GpuInventory two = inventory({gpu(0), gpu(1)});
  const std::vector<RankGpus> ranks{{"a", two}, {"a", two}, {"a", two}, {"a", two}};
  EXPECT_EQ(chosen(shared, ranks), (Devices{"0 GPU-0", "1 GPU-1", "0 GPU-0", "1 GPU-1"}));
  for (const ComputeDevice& device : choose_devices(shared, ranks)) EXPECT_TRUE(device.gpus_are_shared);
  // Nothing is shared that need not be.
  const std::vector<RankGpus> enough{{"a", two}, {"a", two}};
  EXPECT_EQ(chosen(shared, enough), (Devices{"0 GPU-0", "1 GPU-1"}));
  for (const ComputeDevice& device : choose_devices(shared, enough)) EXPECT_FALSE(device.gpus_are_shared);
}

struct Missing {
  GpuInventory inventory;
  std::string why;
};

std::vector<Missing> reasons() {
  GpuInventory old = none(State::old_driver), broken = none(State::failed);
  old.driver_version = 12040;
  broken.failure = "cudaErrorUnknown: unknown error";
  return {
      {{}, "this build of gausscse has no CUDA: take one that was built with the preset cuda"},
      {none(State::no_driver),
       "no driver for NVIDIA's GPUs can be reached: install it, and start containers with access to GPUs (docker run "
       "--gpus all, apptainer --nv)"},
      {old, "the driver is for CUDA 12.4 at most, this program has 13.0: update the driver"},
      {none(State::none_visible), "there is no GPU: take a machine with one"},
      {inventory({}), "there is no GPU: take a machine with one"},
      {showing("", none(State::none_visible)),
       "CUDA_VISIBLE_DEVICES is empty, which hides all GPUs: unset it, or name some"},
      {showing("7", none(State::none_visible)),
       "CUDA_VISIBLE_DEVICES is \"7\", and no GPU of that name can be used: unset it, or name those that nvidia-smi -L "
       "lists"},
      {broken,
       "CUDA cannot be used here; its error is \"cudaErrorUnknown: unknown error\": check nvidia-smi and the kernel's "
       "log"},
      {inventory({gpu(0, 70)}),
       "Tesla V100 (compute capability 7.0) is too old: this program has kernels for compute capability 8.0 and later: "
       "take a newer GPU"}};
}

TEST(ChooseDevices, AGpuThatIsAskedForMustBeThere) {
  for (const Missing& missing : reasons()) {
    EXPECT_EQ(refused(cuda, {{"a", missing.inventory}}),
              concat("device cuda: ", missing.why, "; or give --device cpu"));
    EXPECT_EQ(refused(cuda, {{"a", inventory({gpu(0)})}, {"b", missing.inventory}, {"b", missing.inventory}}),
              concat("device cuda: rank 1 on b: ", missing.why,
                     "; or give --device cpu (2 of 3 ranks have no GPU that they can use)"));
  }
}

TEST(ChooseDevices, AutoIsTheCpuWhereThereIsNoGpuAndSaysWhy) {
  for (const Missing& missing : reasons()) {
    const std::vector<RankGpus> ranks{{"a", missing.inventory}, {"a", missing.inventory}};
    EXPECT_EQ(chosen(automatic, ranks), (Devices{"cpu", "cpu"}));
    const std::string note = choose_devices(automatic, ranks)[1].note;
    // A build for CPUs need not say so on a machine without GPUs.
    EXPECT_EQ(note, missing.inventory.state == State::not_built ? "" : "no GPU is used: " + missing.why);
    EXPECT_EQ(choose_devices(cpu, ranks)[0].note, "");
  }
  GpuInventory unused;
  unused.device_files = {"/dev/nvidia0"};
  EXPECT_EQ(
      choose_devices(automatic, {{"a", unused}})[0].note,
      "the GPUs of this machine are not used: this build of gausscse has no CUDA: take one that was built with the "
      "preset cuda");
}

TEST(ChooseDevices, AutoRefusesDevicesOfDifferentKinds) {
  for (const Missing& missing : reasons())
    EXPECT_EQ(
        refused(automatic, {{"a", missing.inventory}, {"b", inventory({gpu(0)})}, {"c", missing.inventory}}),
        concat("device auto: ranks would compute on different kinds of device: rank 1 on b has NVIDIA H100 (compute "
               "capability 9.0), rank 0 on a has no GPU: ",
               missing.why, "; or give --device cpu, or nodes that all have GPUs"));
}

TEST(ChooseDevices, GpusThatAreTooOldAreLeftOut) {
  const GpuInventory mixed = inventory({gpu(0, 70), gpu(1), gpu(2, 80)});
  EXPECT_EQ(chosen(cuda, {{"a", mixed}, {"a", mixed}}), (Devices{"1 GPU-1", "2 GPU-2"}));
  EXPECT_EQ(choose_devices(cuda, {{"a", mixed}})[0].note,
            "Tesla V100 (compute capability 7.0) is left out: this program has kernels for compute capability 8.0 and "
            "later");
  EXPECT_TRUE(says(refused(cuda, {{"a", mixed}, {"a", mixed}, {"a", mixed}}), "a: 3 ranks for 2 GPUs: rank 2 "));
}

}  // namespace
}  // namespace gausscse
