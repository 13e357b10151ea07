#include "dist/staged/collectives.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>

#include "base/process.hpp"
#include "dist/collective_rates.hpp"
#include "tests/dist/forwarding_collectives.hpp"
#include "tests/dist/what_mpi_gives.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Tensors that require a gradient are said to be on a device. It is a mark that copies of them do not have, and
/// nothing else here.
bool is_on_device(const at::Tensor& tensor) {
  return tensor.requires_grad();
}

at::Tensor on_device(at::Tensor tensor) {
  return tensor.set_requires_grad(true);
}

/// Expects to be called with tensors of the host alone, and notes their memory.
class HostMemory : public ForwardingCollectives {
 public:
  HostMemory(std::unique_ptr<Collectives> host, std::set<const void*>& seen)
      : ForwardingCollectives(std::move(host)), seen_(seen) {}

  void run(const TensorCall& call) override {
    for (const at::Tensor& tensor : {call.data, call.out}) {
      if (!tensor.defined() || tensor.numel() == 0) continue;
      EXPECT_FALSE(is_on_device(tensor));
      seen_.insert(tensor.const_data_ptr());
    }
    ForwardingCollectives::run(call);
  }

 private:
  std::set<const void*>& seen_;
};

class StagedTest : public testing::Test {
 protected:
  at::NoGradGuard no_gradients_;
  std::set<const void*> seen_;
  std::unique_ptr<Collectives> staged_ =
      make_staged_collectives(std::make_unique<HostMemory>(make_mpi_collectives(), seen_), is_on_device);
  std::unique_ptr<ControlGroup> ranks_ = make_mpi_control_group();
};

TEST_F(StagedTest, GivesWhatMpiGives) {
  expect_what_mpi_gives(*staged_, ranks_->rank(), ranks_->size(), on_device);
  EXPECT_FALSE(seen_.empty());
  // As matrices: collectives take their memory as it lies.
  const std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks_->size()), 6);
  const at::Tensor data = on_device(at::full({3, 2}, ranks_->rank(), at::kFloat)),
                   out = on_device(at::ones({ranks_->size() * 2, 3}));
  staged_->all_gather(data, counts, out);
  EXPECT_EQ(out.select(1, 0).select(0, out.size(0) - 1).item<double>(), ranks_->size() - 1);
}

TEST_F(StagedTest, LeavesTensorsOfTheCpuWhereTheyAre) {
  const at::Tensor data = at::ones({5});
  staged_->all_reduce_sum(data);
  EXPECT_TRUE(at::equal(data, at::full({5}, ranks_->size(), at::kFloat)));
  EXPECT_TRUE(seen_.contains(data.const_data_ptr()));
}

TEST_F(StagedTest, RefusesWhatCollectivesDoNotTake) {
  EXPECT_THROW(staged_->all_reduce_sum(on_device(at::ones({4, 2}).t())), std::logic_error);
  EXPECT_THROW(staged_->all_reduce_sum(at::ones({4}, at::kInt)), std::logic_error);
  const std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks_->size()), 2);
  EXPECT_THROW(staged_->ring_shift(at::ones({2}), counts, on_device(at::ones({2}))), std::logic_error);
  EXPECT_TRUE(seen_.empty());
}

TEST(Staged, IsNamedAfterItsHost) {
  EXPECT_STREQ(make_staged_collectives(make_mpi_collectives())->name(), "mpi, staged");
}

/// Gives sums that are wrong in their last element, or the rank's own data for that of the rank before.
class Wrong : public ForwardingCollectives {
 public:
  Wrong(bool sums, bool shifts) : ForwardingCollectives(make_mpi_collectives()), sums_(sums), shifts_(shifts) {}
  void run(const TensorCall& call) override {
    ForwardingCollectives::run(call);
    if (sums_ && call.collective == Collective::all_reduce_sum) call.data.view(-1)[-1] += 1;
    if (shifts_ && call.collective == Collective::ring_shift) call.out.copy_(call.data);
  }

 private:
  bool sums_, shifts_;
};

TEST(TryCollectives, FindsATransportThatGivesWrongNumbers) {
  const auto try_it = [](bool sums, bool shifts) {
    Wrong collectives(sums, shifts);
    try_collectives(*make_mpi_control_group(), collectives, at::kCPU);
  };
  EXPECT_NO_THROW(try_it(false, false));
  const int size = make_mpi_control_group()->size(), rank = make_mpi_control_group()->rank();
  try {
    try_it(true, false);
    FAIL() << "wrong sums were accepted";
  } catch (const SystemError& error) {
    const std::string begin = concat("the transport \"mpi\" gives wrong numbers on rank ", rank, " (", host_name(),
                                     "): a sum over ranks is ", size * (size + 1) / 2 + 1, " for ",
                                     size * (size + 1) / 2, " at element 1023, so a training would give wrong results");
    EXPECT_EQ(std::string(error.what()).substr(0, begin.size()), begin);
  }
  if (make_mpi_communicator()->size() == 1) return;
  EXPECT_THROW(try_it(false, true), SystemError);
}

}  // namespace
}  // namespace gausscse
