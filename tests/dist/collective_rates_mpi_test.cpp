#include <ATen/ops/zeros.h>

#include "dist/collective_rates.hpp"
#include "dist/monitored_communicator.hpp"
#include "dist/staged/collectives.hpp"
#include "tests/support/pretended_gpu/memory.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Writes down each call with its input and output.
class Recorder : public MonitoredCommunicator {
 public:
  struct Call {
    at::Tensor given, result;
  };

  Recorder()
      : MonitoredCommunicator(make_mpi_control_group(), make_staged_collectives(make_mpi_collectives()), nullptr,
                              false) {}

  void barrier() override {
    ++barriers;
    MonitoredCommunicator::barrier();
  }
  void run(const TensorCall& call) override {
    calls.emplace(collective_names[static_cast<std::size_t>(call.collective)],
                  Call{call.data, call.out.defined() ? call.out : call.data});
    MonitoredCommunicator::run(call);
  }

  std::int64_t barriers = 0;
  std::multimap<std::string, Call> calls;
};

class CollectiveRates : public testing::TestWithParam<at::DeviceType> {};

/// 1,001 values cannot be cut evenly; the rest is not sent.
TEST_P(CollectiveRates, AreOfEachCollectiveOnTheDevice) {
  const at::Device device(GetParam());
  Recorder communicator;
  const std::int64_t part = 1001 / communicator.size(), whole = part * communicator.size();
  const std::vector<CollectiveRate> rates = measure_collectives(communicator, device, 1001);
  const std::map<std::string, std::pair<std::int64_t, std::int64_t>> sizes{
      {"all_reduce_sum", {whole, whole}}, {"all_gather", {part, whole}},  {"reduce_scatter_sum", {whole, part}},
      {"all_to_all", {whole, whole}},     {"ring_shift", {whole, whole}}, {"broadcast", {whole, whole}}};
  ASSERT_EQ(rates.size(), 1 + sizes.size());
  EXPECT_EQ(rates[0].name, "barrier");
  EXPECT_EQ(rates[0].bytes, 0);
  for (std::size_t i = 1; i < rates.size(); ++i) {
    const std::string& name = rates[i].name;
    EXPECT_EQ(rates[i].bytes, 4.0 * static_cast<double>(whole)) << name;
    EXPECT_GT(rates[i].seconds, 0.0) << name;
    ASSERT_EQ(communicator.calls.count(name), 3u) << name;
    for (auto [call, end] = communicator.calls.equal_range(name); call != end; ++call) {
      EXPECT_EQ(call->second.given.device().type(), device.type()) << name;
      EXPECT_EQ(call->second.given.numel(), sizes.at(name).first) << name;
      EXPECT_EQ(call->second.result.numel(), sizes.at(name).second) << name;
    }
  }
  // One before each call and one behind it; three are the calls.
  EXPECT_EQ(communicator.barriers, static_cast<std::int64_t>(2 * 3 * rates.size()) + 3);
}

/// A transport that leaves all to the device: a call that came back has not been made yet.
class Queueing : public MonitoredCommunicator {
 public:
  Queueing() : MonitoredCommunicator(make_self_control_group(), make_self_collectives(), nullptr, false) {}
  void run(const TensorCall&) override {}
};

TEST(CollectiveRatesOfAGpu, WaitForEachCall) {
  Queueing communicator;
  const std::int64_t before = pretended_gpu::counts().waits;
  const std::vector<CollectiveRate> rates = measure_collectives(communicator, at::Device(at::kCUDA, 0), 1000);
  EXPECT_EQ(pretended_gpu::counts().waits - before, static_cast<std::int64_t>(3 * rates.size()));
}

TEST(CollectiveRatesText, ReportsBytesASecondWhereThereAreBytes) {
  EXPECT_EQ(to_text({{"barrier", 0.0015, 0}, {"all_gather", 0.002, 4e6}}),
            "  barrier                   1.500 ms\n"
            "  all_gather                2.000 ms      2.00 GB/s\n");
}

INSTANTIATE_TEST_SUITE_P(Devices, CollectiveRates, testing::Values(at::kCPU, at::kCUDA),
                         [](const auto& each) { return c10::DeviceTypeName(each.param, true); });

}  // namespace
}  // namespace gausscse
