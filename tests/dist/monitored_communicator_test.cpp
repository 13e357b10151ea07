#include "dist/monitored_communicator.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "dist/agreement.hpp"
#include "dist/root_work.hpp"
#include "dist/slow_work.hpp"
#include "tests/dist/forwarding_collectives.hpp"

namespace gausscse {
namespace {

TEST(MonitoredCommunicator, CountsAndPassesOn) {
  MonitoredCommunicator ranks(make_mpi_control_group(), make_mpi_collectives(), nullptr, true);
  const at::Tensor data = at::ones({5}, at::kFloat);
  ranks.all_reduce_sum(data);
  EXPECT_TRUE(at::equal(data, at::full({5}, ranks.size(), at::kFloat)));
  ranks.barrier();
  ranks.local_barrier();
  ranks.all_reduce_sum(data);
  EXPECT_EQ(ranks.all_gather_text("x").size(), static_cast<std::size_t>(ranks.size()));
  EXPECT_EQ(counts_text(ranks.counts()), "barrier 1, local_barrier 1, all_reduce_sum 2, all_gather_text 1");
}

/// Writes down what it is told.
class Notes : public CollectiveWatch {
 public:
  explicit Notes(std::string& text) : text_(text) {}
  void enter(const CollectiveCall& call) override { text_ += to_string(call) + ", "; }
  void queued(const QueuedCollective& collective) override {
    text_ += collective.is_done() ? "queued and done, " : "queued, ";
  }
  void leave() override { text_ += "left, "; }
  void set_slow_work(bool slow_work) override { text_ += slow_work ? "slow, " : "not slow, "; }

 private:
  std::string& text_;
};

TEST(MonitoredCommunicator, TellsItsWatch) {
  std::string told;
  MonitoredCommunicator ranks(make_self_control_group(), make_self_collectives(), std::make_unique<Notes>(told), false);
  ranks.set_step(3);
  ranks.all_reduce_sum(at::ones({5}, at::kFloat));
  EXPECT_EQ(told, "all_reduce_sum of 5 elements (collective 1, step 3), left, ");
  told.clear();
  {
    const SlowWork outer(ranks);
    { const SlowWork inner(ranks); }
    EXPECT_EQ(told, "slow, slow, slow, ") << "as long as the outer one lasts";
    told.clear();
  }
  EXPECT_EQ(told, "not slow, ");
}

/// Queues sums on a device.
class QueuesSums : public testing_support::ForwardingCollectives {
 public:
  using ForwardingCollectives::ForwardingCollectives;
  void all_reduce_sum(at::Tensor) override { queued_ = true; }
  QueuedCollective take_queued() override {
    if (!std::exchange(queued_, false)) return {};
    return {.is_done = [] { return false; }};
  }

 private:
  bool queued_ = false;
};

TEST(MonitoredCommunicator, TellsItsWatchWhatIsQueued) {
  std::string told;
  MonitoredCommunicator ranks(make_self_control_group(), make_self_collectives(), std::make_unique<Notes>(told), false);
  ranks.replace_collectives(
      [](ControlGroup&, std::unique_ptr<Collectives> host) { return std::make_unique<QueuesSums>(std::move(host)); });
  EXPECT_EQ(told, "connect (collective 1), left, ");
  told.clear();
  ranks.all_reduce_sum(at::ones({5}, at::kFloat));
  ranks.broadcast(at::ones({5}, at::kFloat), 0);
  EXPECT_EQ(
      told,
      "all_reduce_sum of 5 elements (collective 2), queued, left, broadcast of 5 elements (collective 3), left, ");
  EXPECT_EQ(counts_text(ranks.counts()), "all_reduce_sum 1, broadcast 1, connect 1");
}

TEST(RootWork, IsSlowAndItsErrorIsAllRanks) {
  std::string told;
  MonitoredCommunicator ranks(make_mpi_control_group(), make_mpi_collectives(), std::make_unique<Notes>(told), false);
  int done = 0;
  run_on_root(ranks, [&] { ++done; });
  EXPECT_EQ(done, ranks.is_root() ? 1 : 0);
  EXPECT_EQ(told, concat(ranks.is_root() ? "slow, not slow, " : "", "all_gather_text (collective 1), left, "));
  try {
    run_on_root(ranks, [] { throw InputError("only the root knows"); });
    FAIL() << "an error was lost";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "only the root knows");
  }
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

TEST(Agreement, NamesTheRankAndTheLineThatDiffers) {
  const auto ranks = make_mpi_communicator();
  check_agreement(*ranks, "the configuration", "same\nfor all\n");
  if (ranks->size() == 1) return;
  const bool last = ranks->rank() + 1 == ranks->size();
  try {
    check_agreement(*ranks, "the configuration", last ? "a: 1\nb: 3\n" : "a: 1\nb: 2\n");
    FAIL() << "ranks that differ were accepted";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("rank 0 has \"b: 2\""), std::string::npos) << message;
    EXPECT_NE(message.find(concat("rank ", ranks->size() - 1, " has \"b: 3\"")), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace gausscse
