#include "dist/monitored_communicator.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>

#include "base/process.hpp"
#include "dist/group_work.hpp"
#include "tests/dist/forwarding_collectives.hpp"
#include "tests/dist/watch_notes.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(MonitoredCommunicator, CountsAndPassesOn) {
  MonitoredCommunicator ranks(make_mpi_control_group(), make_mpi_collectives(), nullptr, true);
  const at::Tensor data = at::ones({5}, at::kFloat);
  const std::uint64_t work_before = work_count();
  ranks.all_reduce_sum(data);
  EXPECT_EQ(work_count(), work_before + 1);
  EXPECT_TRUE(at::equal(data, at::full({5}, ranks.size(), at::kFloat)));
  ranks.barrier();
  ranks.local_barrier();
  ranks.all_reduce_sum(data);
  EXPECT_EQ(ranks.all_gather_text("x").size(), static_cast<std::size_t>(ranks.size()));
  EXPECT_EQ(counts_text(ranks.counts()), "barrier 1, local_barrier 1, all_reduce_sum 2, all_gather_text 1");
}

TEST(MonitoredCommunicator, ReportsToItsWatch) {
  std::string notes;
  MonitoredCommunicator ranks = noted_communicator(notes);
  ranks.set_step(3);
  ranks.all_reduce_sum(at::ones({5}, at::kFloat));
  EXPECT_EQ(notes, "all_reduce_sum of 5 elements (collective 1, step 3), left, ");
  notes.clear();
  ranks.set_step(0);
  ranks.barrier();
  EXPECT_EQ(notes, "barrier (collective 2, step 0), left, ");
  notes.clear();
  {
    const LongOperation outer(ranks);
    { const LongOperation inner(ranks); }
    EXPECT_EQ(notes, "slow, slow, slow, ") << "as long as the outer one lasts";
    notes.clear();
  }
  EXPECT_EQ(notes, "not slow, ");
  notes.clear();
  {
    LongOperation ended(ranks);
    ended.end();
    EXPECT_EQ(notes, "slow, not slow, ");
  }
  EXPECT_EQ(notes, "slow, not slow, ") << "once";
}

/// Ranks give and take different parts, which is no difference between their calls.
TEST(MonitoredCommunicator, ElementsOfACallAreThoseOfTheWhole) {
  std::string notes;
  MonitoredCommunicator ranks(make_mpi_control_group(), make_mpi_collectives(), std::make_unique<WatchNotes>(notes),
                              true);
  const int rank = ranks.rank(), size = ranks.size();
  std::vector<std::int64_t> counts;
  for (int r = 0; r < size; ++r) counts.push_back(r + 1);
  const std::int64_t all = size * (size + 1) / 2;
  ranks.all_gather(at::ones({rank + 1}), counts, at::empty({all}));
  ranks.reduce_scatter_sum(at::ones({all}), counts, at::empty({rank + 1}));
  ranks.all_to_all(at::ones({(rank + 1) * size}), counts, at::empty({all}));
  ranks.ring_shift(at::ones({rank + 1}), counts, at::empty({(rank + size - 1) % size + 1}));
  std::vector<double> numbers(3);
  ranks.broadcast_numbers(numbers);
  EXPECT_EQ(notes, concat("all_gather of ", all, " elements (collective 1), left, reduce_scatter_sum of ", all,
                          " elements (collective 2), left, all_to_all of ", all,
                          " elements (collective 3), left, ring_shift of ", all,
                          " elements (collective 4), left, broadcast of 3 elements (collective 5), left, "));
}

/// Collectives that report that one of their sums goes on on a device, and keep the reports.
class Notices : public ForwardingCollectives {
 public:
  explicit Notices(std::string& text) : ForwardingCollectives(make_self_collectives()), text_(text) {}
  void set_step(std::int64_t step) override { text_ += concat("step ", step, ", "); }
  std::unique_ptr<PendingCollective> begin(const TensorCall& call) override {
    text_ += "begun, ";
    return ForwardingCollectives::begin(call);
  }

 private:
  std::string& text_;
};

TEST(MonitoredCommunicator, PassesOnStepsAndWhatIsBegun) {
  std::string notes;
  MonitoredCommunicator ranks(make_self_control_group(), std::make_unique<Notices>(notes), nullptr, false);
  ranks.set_step(4);
  ranks.begin_all_reduce_sum(at::ones({5}))->wait();
  ranks.set_step(-1);
  EXPECT_EQ(notes, "step 4, begun, step -1, ");
}

/// Two ranks, of which the other, on another node, reports the same call as this one each time.
class OnAnotherNode : public ControlGroup {
 public:
  explicit OnAnotherNode(int& texts) : texts_(texts) {}
  int rank() const override { return 0; }
  int size() const override { return 2; }
  int local_rank() const override { return 0; }
  int local_size() const override { return 1; }
  void barrier() override {}
  void local_barrier() override {}
  std::vector<std::string> all_gather_text(const std::string& text) override {
    ++texts_;
    return {text, text};
  }
  void broadcast_numbers(std::span<double>) override {}

 private:
  int& texts_;
};

/// The other node's ranks need not be at their own barrier.
TEST(MonitoredCommunicator, BarriersOfANodeAreNotComparedWithOtherNodes) {
  int texts = 0;
  MonitoredCommunicator ranks(std::make_unique<OnAnotherNode>(texts), make_self_collectives(), nullptr, true);
  ranks.local_barrier();
  EXPECT_EQ(texts, 0);
  ranks.barrier();
  EXPECT_EQ(texts, 1);
}

/// Queues sums on a device.
class QueuesSums : public ForwardingCollectives {
 public:
  using ForwardingCollectives::ForwardingCollectives;
  void run(const TensorCall& call) override { queued_ = call.collective == Collective::all_reduce_sum; }
  QueuedCollective take_queued() override {
    if (!std::exchange(queued_, false)) return {};
    return {.is_done = [] { return false; }};
  }

 private:
  bool queued_ = false;
};

TEST(MonitoredCommunicator, ReportsToItsWatchWhatIsQueued) {
  std::string notes;
  MonitoredCommunicator ranks = noted_communicator(notes);
  ranks.replace_collectives(
      [](ControlGroup&, std::unique_ptr<Collectives> host) { return std::make_unique<QueuesSums>(std::move(host)); });
  EXPECT_EQ(notes, "connect (collective 1), left, ");
  notes.clear();
  ranks.all_reduce_sum(at::ones({5}, at::kFloat));
  ranks.broadcast(at::ones({5}, at::kFloat), 0);
  EXPECT_EQ(
      notes,
      "all_reduce_sum of 5 elements (collective 2), queued, left, broadcast of 5 elements (collective 3), left, ");
  EXPECT_EQ(counts_text(ranks.counts()), "all_reduce_sum 1, broadcast 1, connect 1");
}

TEST(RootWork, IsSlowAndItsErrorIsAllRanks) {
  std::string notes;
  MonitoredCommunicator ranks(make_mpi_control_group(), make_mpi_collectives(), std::make_unique<WatchNotes>(notes),
                              false);
  int done = 0;
  run_on_root(ranks, [&] { ++done; });
  EXPECT_EQ(done, ranks.is_root() ? 1 : 0);
  EXPECT_EQ(notes, concat(ranks.is_root() ? "slow, not slow, " : "", "all_gather_text (collective 1), left, "));
  try {
    run_on_root(ranks, [] { throw InputError("only the root knows"); });
    FAIL() << "an error was lost";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "only the root knows");
  }
}

TEST(WorkOfRanks, GivesTheErrorOfTheLowestRankToAll) {
  const std::unique_ptr<ControlGroup> ranks = make_mpi_control_group();
  for (int first = 0; first < ranks->size(); ++first) {
    int done = 0;
    const auto fail_from_first = [&] {
      ++done;
      if (ranks->rank() >= first) throw InputError(concat("rank ", ranks->rank()));
    };
    try {
      run_on_ranks(*ranks, true, fail_from_first);
      FAIL() << "an error was lost";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), concat("rank ", first));
    }
    EXPECT_EQ(done, 1);
  }
  int done = 0;
  run_on_ranks(*ranks, ranks->rank() == ranks->size() - 1, [&] { ++done; });
  EXPECT_EQ(done, ranks->rank() == ranks->size() - 1 ? 1 : 0);
}

TEST(MonitoredCommunicator, NamesTheCallsOfRanksThatDiffer) {
  MonitoredCommunicator ranks(make_mpi_control_group(), make_mpi_collectives(), nullptr, true);
  if (ranks.size() == 1) GTEST_SKIP() << "one rank cannot differ";
  const at::Tensor data = at::ones({ranks.is_root() ? 5 : 6}, at::kFloat);
  ranks.set_step(7);
  try {
    ranks.all_reduce_sum(data);
    FAIL() << "different sizes were summed";
  } catch (const SystemError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("rank 0 all_reduce_sum of 5 elements (collective 1, step 7)"), std::string::npos) << message;
    EXPECT_NE(message.find("rank 1 all_reduce_sum of 6 elements"), std::string::npos) << message;
  }
  try {
    if (ranks.is_root())
      ranks.barrier();
    else
      ranks.broadcast(data, 0);
    FAIL() << "a barrier met a broadcast";
  } catch (const SystemError& error) {
    EXPECT_NE(std::string(error.what()).find("rank 0 barrier (collective 2"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace gausscse
