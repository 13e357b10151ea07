#include <numeric>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "dist/nccl/calls.hpp"
#include "tests/dist/nccl/nccl_test.hpp"

namespace gausscse {
namespace {

using Counts = std::vector<std::int64_t>;

/// What stands before and behind memory that a collective writes to.
constexpr int margin = 4;
constexpr double untouched = -77;

template <typename T>
class NcclCalls : public NcclTest {
 protected:
  static constexpr detail::NcclElement element{std::is_same_v<T, float> ? ncclFloat32 : ncclFloat64, sizeof(T)};

  static T value(int rank, std::int64_t i) { return static_cast<T>(1000 * (rank + 1) + i); }
  static std::vector<T> values(int rank, std::int64_t count) {
    std::vector<T> all;
    for (std::int64_t i = 0; i < count; ++i) all.push_back(value(rank, i));
    return all;
  }
  T sum_of_values(std::int64_t i) const {
    return static_cast<T>(500 * size_ * (size_ + 1) + static_cast<std::int64_t>(size_) * i);
  }

  /// Even, uneven, with zeros, of one rank alone, and nothing at all.
  std::vector<Counts> ways_to_share() const {
    Counts even(static_cast<std::size_t>(size_), 5), uneven, zeros, last(static_cast<std::size_t>(size_), 0);
    for (int r = 0; r < size_; ++r) {
      uneven.push_back(3 * r + 1);
      zeros.push_back((r + 2) % 3);
    }
    last.back() = 7;
    return {even, uneven, zeros, last, Counts(static_cast<std::size_t>(size_), 0)};
  }
  static std::int64_t before(const Counts& counts, int rank) {
    return std::accumulate(counts.begin(), counts.begin() + rank, std::int64_t{0});
  }
  static std::int64_t total(const Counts& counts) { return before(counts, static_cast<int>(counts.size())); }
  std::int64_t own(const Counts& counts) const { return counts[static_cast<std::size_t>(rank_)]; }

  static void sum(detail::NcclHandle& handle, std::vector<T>& data, std::int64_t count) {
    queue_on_nccl(handle, {Collective::all_reduce_sum, data.data(), data.data(), {&count, 1}, element}, nullptr);
  }

  /// Has `call` write to memory of as many elements as are expected, and compares.
  template <typename Call>
  void expect(const std::vector<T>& expected, const Call& call) {
    std::vector<T> memory(expected.size() + 2 * margin, static_cast<T>(untouched)), all = memory;
    std::copy(expected.begin(), expected.end(), all.begin() + margin);
    call(memory.data() + margin);
    EXPECT_EQ(memory, all);
  }
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(NcclCalls, Types);

TYPED_TEST(NcclCalls, AllReduceSumsOverRanks) {
  const auto handle = this->join();
  for (const std::int64_t count : {0, 1, 1001}) {
    std::vector<TypeParam> data = this->values(this->rank_, count), expected;
    for (std::int64_t i = 0; i < count; ++i) expected.push_back(this->sum_of_values(i));
    this->sum(*handle, data, count);
    EXPECT_EQ(data, expected);
  }
  handle->finish();
}

TYPED_TEST(NcclCalls, AllGatherPutsPartsInRankOrder) {
  const auto handle = this->join();
  for (const Counts& counts : this->ways_to_share()) {
    std::vector<TypeParam> expected;
    for (int r = 0; r < this->size_; ++r)
      for (std::int64_t i = 0; i < counts[static_cast<std::size_t>(r)]; ++i) expected.push_back(this->value(r, i));
    const auto local = this->values(this->rank_, this->own(counts));
    this->expect(expected, [&](TypeParam* out) {
      queue_on_nccl(*handle, {Collective::all_gather, local.data(), out, counts, this->element}, nullptr);
    });
  }
  handle->finish();
}

TYPED_TEST(NcclCalls, ReduceScatterGivesEachRankTheSumOfItsPart) {
  const auto handle = this->join();
  for (const Counts& counts : this->ways_to_share()) {
    const auto data = this->values(this->rank_, this->total(counts));
    std::vector<TypeParam> expected;
    for (std::int64_t i = 0; i < this->own(counts); ++i)
      expected.push_back(this->sum_of_values(this->before(counts, this->rank_) + i));
    this->expect(expected, [&](TypeParam* out) {
      queue_on_nccl(*handle, {Collective::reduce_scatter_sum, data.data(), out, counts, this->element}, nullptr);
    });
    EXPECT_EQ(data, this->values(this->rank_, this->total(counts))) << "what goes in is not written to";
  }
  handle->finish();
}

TYPED_TEST(NcclCalls, AllToAllGivesEachRankItsPartOfEach) {
  const auto handle = this->join();
  for (const Counts& counts : this->ways_to_share()) {
    const auto data = this->values(this->rank_, this->own(counts) * this->size_);
    std::vector<TypeParam> expected;
    for (int r = 0; r < this->size_; ++r) {
      const std::int64_t count = counts[static_cast<std::size_t>(r)];
      for (std::int64_t i = 0; i < count; ++i) expected.push_back(this->value(r, this->rank_ * count + i));
    }
    this->expect(expected, [&](TypeParam* out) {
      queue_on_nccl(*handle, {Collective::all_to_all, data.data(), out, counts, this->element}, nullptr);
    });
  }
  handle->finish();
}

TYPED_TEST(NcclCalls, RingShiftGivesWhatTheRankBeforeHas) {
  const auto handle = this->join();
  const int before = (this->rank_ + this->size_ - 1) % this->size_;
  for (const Counts& counts : this->ways_to_share()) {
    const auto data = this->values(this->rank_, this->own(counts));
    this->expect(this->values(before, counts[static_cast<std::size_t>(before)]), [&](TypeParam* out) {
      queue_on_nccl(*handle, {Collective::ring_shift, data.data(), out, counts, this->element}, nullptr);
    });
  }
  handle->finish();
}

TYPED_TEST(NcclCalls, BroadcastGivesTheRootsData) {
  const auto handle = this->join();
  for (int root = 0; root < this->size_; ++root) {
    for (const std::int64_t count : {0, 9}) {
      auto data = this->values(this->rank_, count);
      queue_on_nccl(*handle, {Collective::broadcast, data.data(), data.data(), {&count, 1}, this->element, root},
                    nullptr);
      EXPECT_EQ(data, this->values(root, count));
    }
  }
  handle->finish();
}

TYPED_TEST(NcclCalls, PeersThatDoNotFitAreAnError) {
  if (this->size_ == 1) GTEST_SKIP() << "one rank cannot differ";
  auto handle = this->join();
  auto data = this->values(this->rank_, 10);
  EXPECT_THROW(this->sum(*handle, data, 9 + this->rank_ % 2), SystemError);
  handle = this->join();
  // The first says that each rank has five, the others that they have six.
  const Counts counts(static_cast<std::size_t>(this->size_), 5 + std::min(this->rank_, 1));
  std::vector<TypeParam> received(10);
  const auto shift = [&] {
    queue_on_nccl(*handle, {Collective::ring_shift, data.data(), received.data(), counts, this->element}, nullptr);
  };
  if (this->rank_ < 2)
    EXPECT_THROW(shift(), SystemError);
  else
    shift();
}

}  // namespace
}  // namespace gausscse
