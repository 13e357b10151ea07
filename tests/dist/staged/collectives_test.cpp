#include "dist/staged/collectives.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "dist/collective_rates.hpp"
#include "tests/dist/forwarding_collectives.hpp"

namespace gausscse {
namespace {

using testing_support::ForwardingCollectives;
using testing_support::ranks_with;

/// Notes which memory collectives are called with.
class MemoryNotes : public ForwardingCollectives {
 public:
  MemoryNotes(std::unique_ptr<Collectives> host, std::set<const void*>& seen)
      : ForwardingCollectives(std::move(host)), seen_(seen) {}

  void run(const TensorCall& call) override {
    for (const at::Tensor& tensor : {call.data, call.out})
      if (tensor.defined() && tensor.numel() > 0) seen_.insert(tensor.const_data_ptr());
    ForwardingCollectives::run(call);
  }

 private:
  std::set<const void*>& seen_;
};

/// Tensors that require a gradient are said to be on a device. It is a mark that copies of them do not have, and
/// nothing else here.
class StagedTest : public testing::TestWithParam<at::ScalarType> {
 protected:
  static bool is_on_device(const at::Tensor& tensor) { return tensor.requires_grad(); }
  static at::Tensor on_device(at::Tensor tensor) { return tensor.set_requires_grad(true); }

  at::Tensor values(int rank, std::int64_t count) const { return at::arange(count, GetParam()) + 1000 * (rank + 1); }
  std::vector<std::int64_t> uneven() const {
    std::vector<std::int64_t> counts;
    for (int r = 0; r < size_; ++r) counts.push_back((r + 2) % 3 * 2);
    return counts;
  }
  at::Tensor sums(std::int64_t count) const {
    return at::arange(count, GetParam()) * size_ + 500 * size_ * (size_ + 1);
  }
  /// The host's collective must have been called, and not with the memory of `tensors`.
  void expect_staged(const std::vector<at::Tensor>& tensors) {
    EXPECT_FALSE(seen_.empty());
    for (const at::Tensor& tensor : tensors)
      EXPECT_TRUE(tensor.numel() == 0 || !seen_.contains(tensor.const_data_ptr()));
    seen_.clear();
  }

  at::NoGradGuard no_gradients_;
  std::set<const void*> seen_;
  std::unique_ptr<Communicator> ranks_ =
      ranks_with(make_staged_collectives(std::make_unique<MemoryNotes>(make_mpi_collectives(), seen_), is_on_device));
  int rank_ = ranks_->rank(), size_ = ranks_->size();
};

TEST_P(StagedTest, SumsAndBroadcasts) {
  // The second call finds a buffer that is too large, the third one that is too small.
  for (const std::int64_t count : {5, 3, 1000, 0}) {
    const at::Tensor data = on_device(values(rank_, count));
    ranks_->all_reduce_sum(data);
    EXPECT_TRUE(at::equal(data, sums(count)));
    if (count > 0) expect_staged({data});
    for (int root = 0; root < size_; ++root) {
      const at::Tensor sent = on_device(values(rank_, count));
      ranks_->broadcast(sent, root);
      EXPECT_TRUE(at::equal(sent, values(root, count)));
      if (count > 0) expect_staged({sent});
    }
  }
}

TEST_P(StagedTest, GathersUnevenParts) {
  const std::vector<std::int64_t> counts = uneven();
  std::vector<at::Tensor> parts;
  for (int r = 0; r < size_; ++r) parts.push_back(values(r, counts[static_cast<std::size_t>(r)]));
  const at::Tensor expected = at::cat(parts);
  const at::Tensor local = on_device(parts[static_cast<std::size_t>(rank_)].clone());
  const at::Tensor out = on_device(at::full_like(expected, -1));
  ranks_->all_gather(local, counts, out);
  EXPECT_TRUE(at::equal(out, expected));
  EXPECT_TRUE(at::equal(local, parts[static_cast<std::size_t>(rank_)]));
  expect_staged({local, out});
}

TEST_P(StagedTest, ReducesAndScattersUnevenParts) {
  const std::vector<std::int64_t> counts = uneven();
  std::int64_t total = 0, first = 0;
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) first = total;
    total += counts[static_cast<std::size_t>(r)];
  }
  const std::int64_t own = counts[static_cast<std::size_t>(rank_)];
  const at::Tensor data = on_device(values(rank_, total)), out = on_device(at::full({own}, -1, GetParam()));
  ranks_->reduce_scatter_sum(data, counts, out);
  EXPECT_TRUE(at::equal(out, sums(total).narrow(0, first, own)));
  EXPECT_TRUE(at::equal(data, values(rank_, total)));
  expect_staged({data, out});
}

TEST_P(StagedTest, ExchangesUnevenParts) {
  const std::vector<std::int64_t> counts = uneven();
  const std::int64_t own = counts[static_cast<std::size_t>(rank_)];
  std::vector<at::Tensor> parts;
  for (int r = 0; r < size_; ++r) {
    const std::int64_t count = counts[static_cast<std::size_t>(r)];
    parts.push_back(values(r, count * size_).narrow(0, rank_ * count, count));
  }
  const at::Tensor expected = at::cat(parts);
  // As matrices: collectives take their memory as it lies.
  const at::Tensor data = on_device(values(rank_, own * size_).view({size_, own}));
  const at::Tensor out = on_device(at::full({expected.numel() / 2, 2}, -1, GetParam()));
  ranks_->all_to_all(data, counts, out);
  EXPECT_TRUE(at::equal(out, expected.view({-1, 2})));
  EXPECT_TRUE(at::equal(data.view(-1), values(rank_, own * size_)));
  expect_staged({data, out});
}

TEST_P(StagedTest, ShiftsUnevenParts) {
  const std::vector<std::int64_t> counts = uneven();
  const int before = (rank_ + size_ - 1) % size_;
  const at::Tensor expected = values(before, counts[static_cast<std::size_t>(before)]);
  const at::Tensor data = on_device(values(rank_, counts[static_cast<std::size_t>(rank_)]));
  const at::Tensor out = on_device(at::full_like(expected, -1));
  ranks_->ring_shift(data, counts, out);
  EXPECT_TRUE(at::equal(out, expected));
  EXPECT_TRUE(at::equal(data, values(rank_, counts[static_cast<std::size_t>(rank_)])));
  if (data.numel() + out.numel() > 0) expect_staged({data, out});
}

TEST_P(StagedTest, LeavesTensorsOfTheCpuWhereTheyAre) {
  const at::Tensor data = values(rank_, 5);
  ranks_->all_reduce_sum(data);
  EXPECT_TRUE(at::equal(data, sums(5)));
  EXPECT_TRUE(seen_.contains(data.const_data_ptr()));
}

TEST_P(StagedTest, RefusesWhatCollectivesDoNotTake) {
  EXPECT_THROW(ranks_->all_reduce_sum(on_device(at::ones({4, 2}, GetParam()).t())), std::logic_error);
  EXPECT_THROW(ranks_->all_reduce_sum(at::ones({4}, at::kInt)), std::logic_error);
  const std::vector<std::int64_t> counts(static_cast<std::size_t>(size_), 2);
  const at::Tensor here = at::ones({2}, GetParam()), there = on_device(at::ones({2}, GetParam()));
  EXPECT_THROW(ranks_->ring_shift(here, counts, there), std::logic_error);
  EXPECT_TRUE(seen_.empty());
}

INSTANTIATE_TEST_SUITE_P(Types, StagedTest, testing::Values(at::kFloat, at::kDouble));

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
