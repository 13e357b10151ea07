#include "dist/nccl/collectives.hpp"
#include "launcher/machine/compute_device.hpp"
#include "launcher/process.hpp"
#include "tests/launcher/machine/pretended_gpus.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using setting::Device;
/// Ranks of the node "a" with GPUs that are not there.
class DeviceAgreement : public testing::Test {
 protected:
  DeviceAgreement() : all_(make_mpi_control_group()) {}

  std::string refused(const DeviceRequest& request, const GpuInventory& own) {
    return refusal_of([&] { choose_device(request, {"a", own}, *all_); });
  }
  int rank() const { return all_->rank(); }
  int size() const { return all_->size(); }

  std::unique_ptr<ControlGroup> all_;
};

TEST_F(DeviceAgreement, EachRankHasItsOwnOfTheGpusThatAllSee) {
  std::vector<Gpu> gpus;
  for (int number = 0; number < size(); ++number) gpus.push_back(gpu(number));
  const ComputeDevice own = choose_device({.choice = Device::cuda}, {"a", inventory(gpus)}, *all_);
  EXPECT_EQ(own.device, at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(rank())));
  EXPECT_FALSE(own.gpus_are_shared);
}

TEST_F(DeviceAgreement, EachRankHasTheOnlyOneThatItSees) {
  const ComputeDevice own = choose_device({.choice = Device::cuda}, {"a", inventory({gpu(rank())})}, *all_);
  EXPECT_EQ(own.device, at::Device(at::kCUDA, 0));
  EXPECT_EQ(choose_device({}, {"a", {}}, *all_).device, at::kCPU);
}

TEST_F(DeviceAgreement, AllRanksReportTwoOnOneGpu) {
  const int last = size() - 1;
  const GpuInventory own = inventory({gpu(rank() == last ? 0 : rank())});
  for (const Device choice : {Device::cuda, Device::automatic})
    EXPECT_TRUE(
        says(refused({.choice = choice}, own), concat("a: ", size(), " ranks for ", last, " GPUs: rank ", last,
                                                      " would compute on the same GPU as rank 0, NVIDIA H100 GPU-0")));
  const ComputeDevice shared = choose_device({.choice = Device::cuda, .share_gpu = true}, {"a", own}, *all_);
  EXPECT_EQ(shared.device, at::Device(at::kCUDA, 0));
  EXPECT_TRUE(shared.gpus_are_shared);
}

TEST_F(DeviceAgreement, AllRanksReportDevicesOfDifferentKinds) {
  const GpuInventory own = rank() == size() - 1 ? inventory({}) : inventory({gpu(rank())});
  EXPECT_TRUE(says(refused({}, own), concat("rank 0 on a has NVIDIA H100 (compute capability 9.0), rank ", size() - 1,
                                            " on a has no GPU: there is no GPU")));
  EXPECT_TRUE(says(refused({.choice = Device::cuda}, own), concat("device cuda: rank ", size() - 1, " on a: ")));
}

TEST_F(DeviceAgreement, RanksMustBeAskedForTheSame) {
  const bool last = rank() == size() - 1;
  EXPECT_TRUE(says(refused({.choice = last ? Device::cpu : Device::automatic}, {}),
                   concat("the device is not the same on all ranks: rank 0 has \"device auto\", rank ", size() - 1,
                          " has \"device cpu\"")));
  EXPECT_TRUE(says(refused({.share_gpu = last}, {}),
                   concat("rank 0 has \"GPUs are not shared\", rank ", size() - 1, " has \"GPUs may be shared\"")));
}

/// Returns the transport of the ranks, connected for this rank's device.
std::string transport_for(const DeviceRequest& request, const ComputeDevice& own) {
  MonitoredCommunicator ranks(make_mpi_control_group(), make_mpi_collectives(), nullptr, false);
  connect_devices(ranks, request, own, 60);
  return concat(ranks.name(), ranks.counts()[static_cast<std::size_t>(Collective::connect)] > 0 ? ", connected" : "");
}

TEST(ConnectDevices, StartsATransportOfGpusWhereTheirTensorsAreExchanged) {
  const ComputeDevice own{.device = at::Device(at::kCUDA, 0)};
  const ComputeDevice shared{.device = at::Device(at::kCUDA, 0), .gpus_are_shared = true};
  // What only embeds needs none, which NCCL would take seconds and memory for.
  EXPECT_EQ(transport_for({.choice = Device::cuda}, own), "mpi");
  EXPECT_EQ(transport_for({.choice = Device::cuda, .share_gpu = true}, shared), "mpi");
  EXPECT_EQ(transport_for({.collectives = true}, {}), "mpi") << "on the CPU";
  EXPECT_EQ(transport_for({.share_gpu = true, .collectives = true}, shared), "mpi, staged, connected");
  const auto alone = make_self_communicator();
  connect_devices(dynamic_cast<MonitoredCommunicator&>(*alone), {.collectives = true}, own, 60);
  EXPECT_STREQ(alone->name(), "self");
  if (!nccl_version().empty()) return;
  EXPECT_TRUE(says(refusal_of([&] { transport_for({.collectives = true}, own); }), "collectives on cuda:0 need NCCL"));
}

}  // namespace
}  // namespace gausscse
