#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/ones.h>

#include "dist/nccl/collectives.hpp"
#include "dist/staged/collectives.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// One rank alone: NCCL starts, queues, and ends; the output is the input.
class GpuNccl : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override { GAUSSCSE_SKIP_WITHOUT_GPU(); }

  static void expect_copies(Collectives& ranks) {
    const at::Tensor data = at::arange(1000, at::TensorOptions(gpu).dtype(GetParam()));
    const at::Tensor expected = at::arange(1000, GetParam());
    const std::vector<std::int64_t> counts{1000};
    const auto compare = [&](const auto& call) {
      const at::Tensor out = at::full_like(data, -1);
      call(out);
      // The current stream waits for the collective: no other wait is needed.
      EXPECT_TRUE(at::equal(out.to(at::kCPU), expected));
    };
    compare([&](const at::Tensor& out) { ranks.all_gather(data, counts, out); });
    compare([&](const at::Tensor& out) { ranks.reduce_scatter_sum(data, counts, out); });
    compare([&](const at::Tensor& out) { ranks.all_to_all(data, counts, out); });
    compare([&](const at::Tensor& out) { ranks.ring_shift(data, counts, out); });
    ranks.all_reduce_sum(data);
    ranks.broadcast(data, 0);
    EXPECT_TRUE(at::equal(data.to(at::kCPU), expected));
  }
};

TEST_P(GpuNccl, GivesOneRankItsOwn) {
  const auto ranks = make_nccl_collectives(*make_self_control_group(), make_self_collectives(), gpu, 60);
  EXPECT_STREQ(ranks->name(), "nccl");
  expect_copies(*ranks);
  const at::Tensor data = at::ones({1}, at::TensorOptions(gpu).dtype(GetParam()));
  ranks->all_reduce_sum(data);
  const QueuedCollective queued = ranks->take_queued();
  ASSERT_TRUE(queued);
  EXPECT_EQ(data.item<double>(), 1);
  EXPECT_TRUE(queued.is_done()) << "its result is there";
}

TEST_P(GpuNccl, SoDoesHostMemory) {
  expect_copies(*make_staged_collectives(make_self_collectives()));
}

INSTANTIATE_TEST_SUITE_P(Types, GpuNccl, testing::Values(at::kFloat, at::kDouble));

TEST(NcclMissing, IsToldByABuildWithoutIt) {
  if (!nccl_version().empty()) return;
  try {
    make_nccl_collectives(*make_self_control_group(), make_self_collectives(), gpu, 60);
    FAIL() << "there is no NCCL";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("collectives on cuda:0 need NCCL"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace gausscse
