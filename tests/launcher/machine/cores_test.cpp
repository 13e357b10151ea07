#include "launcher/machine/cores.hpp"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Variables = std::vector<std::pair<const char*, const char*>>;

/// Variables of mpirun for a rank that it bound.
const Variables bound = {{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_MCA_orte_bound_at_launch", "1"}};

void confine_to(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(static_cast<std::size_t>(core), &set);
  ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

/// Cores of a rank that is confined to `of_rank` by a process that is confined to `of_starter`, once its default
/// binding is undone.
std::vector<int> cores_after_undoing(const std::vector<int>& of_starter, const std::vector<int>& of_rank,
                                     const Variables& variables = bound) {
  const std::vector<int> before = allowed_cores();
  confine_to(of_starter);
  int answer[2];
  EXPECT_EQ(pipe(answer), 0);
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& [name, value] : variables) setenv(name, value, 1);
    confine_to(of_rank);
    undo_default_binding();
    const std::string cores = ranges_of(allowed_cores());
    _exit(write(answer[1], cores.data(), cores.size()) == static_cast<ssize_t>(cores.size()) ? 0 : 1);
  }
  close(answer[1]);
  char text[256] = {};
  const ssize_t length = read(answer[0], text, sizeof text - 1);
  close(answer[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  confine_to(before);
  return numbers_in(std::string(text, static_cast<std::size_t>(std::max<ssize_t>(0, length))));
}

Variables bound_and(const char* name, const char* value) {
  Variables variables = bound;
  variables.emplace_back(name, value);
  return variables;
}

TEST(Cores, RangesAreWrittenShort) {
  EXPECT_EQ(ranges_of({}), "");
  EXPECT_EQ(ranges_of({3}), "3");
  EXPECT_EQ(ranges_of({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(ranges_of({0, 2, 3, 5}), "0,2-3,5");
}

TEST(Cores, RangesAreRead) {
  using Numbers = std::vector<int>;
  EXPECT_EQ(numbers_in(""), Numbers{});
  EXPECT_EQ(numbers_in("3"), Numbers{3});
  EXPECT_EQ(numbers_in("0-3,8"), (Numbers{0, 1, 2, 3, 8}));
  EXPECT_EQ(numbers_in("0,2-3,5\n"), (Numbers{0, 2, 3, 5}));
  EXPECT_EQ(numbers_in("0,x"), Numbers{});
}

TEST(Cores, ThisProcessMayRunSomewhere) {
  const std::vector<int> cores = allowed_cores();
  ASSERT_FALSE(cores.empty());
  EXPECT_TRUE(std::is_sorted(cores.begin(), cores.end()));
  EXPECT_EQ(allowed_cores(getpid()), cores);
}

TEST(Cores, ABindingToOneCoreBecomesThoseOfTheStarter) {
  const std::vector<int> all = allowed_cores();
  if (all.size() < 2) GTEST_SKIP() << "one core: nothing to bind to or to undo";
  EXPECT_EQ(cores_after_undoing(all, {all[0]}), all);
  EXPECT_EQ(cores_after_undoing({all[0]}, {all[0]}), std::vector<int>{all[0]}) << "no more than was given";
  EXPECT_EQ(cores_after_undoing({all[0]}, {all[1]}), std::vector<int>{all[0]}) << "Open MPI went beyond";
  EXPECT_EQ(cores_after_undoing({all[0]}, all), std::vector<int>{all[0]}) << "Open MPI went beyond";
}

TEST(Cores, WhatTheUserAskedForStays) {
  const std::vector<int> all = allowed_cores();
  if (all.size() < 2) GTEST_SKIP() << "one core: nothing to bind to or to undo";
  const std::vector<int> one{all[1]};
  EXPECT_EQ(cores_after_undoing(all, one, {}), one) << "not started by Open MPI";
  EXPECT_EQ(cores_after_undoing(all, one, {{"OMPI_COMM_WORLD_SIZE", "2"}}), one) << "not bound by Open MPI";
  EXPECT_EQ(cores_after_undoing(all, one, bound_and("OMPI_MCA_hwloc_base_binding_policy", "core")), one);
  EXPECT_EQ(cores_after_undoing(all, one, bound_and("OMPI_MCA_hwloc_base_cpu_set", "1")), one);
  EXPECT_EQ(cores_after_undoing(all, one, bound_and("OMPI_MCA_hwloc_base_cpu_list", "1")), one);
  EXPECT_EQ(cores_after_undoing(all, one, bound_and("OMPI_MCA_rmaps_base_mapping_policy", "slot:PE=1")), one);
  EXPECT_EQ(cores_after_undoing(all, one, bound_and("OMPI_MCA_rmaps_base_mapping_policy", "slot")), all)
      << "where ranks go is no binding";
}

TEST(Cores, ABindingToMoreThanACoreStays) {
  const std::vector<int> all = allowed_cores();
  if (all.size() < 4) GTEST_SKIP() << "fewer than four cores: two may be one core's threads";
  const std::vector<int> most(all.begin(), all.end() - 1);
  EXPECT_EQ(cores_after_undoing(all, most), most);
}

TEST(ShareOfCores, IsEvenAmongRanksOfAHostWithTheSameCores) {
  const std::vector<std::string> hosts{"a", "a", "a", "b"};
  const std::vector<std::string> same{"0-7", "0-7", "0-7", "0-7"}, own{"0-3", "4-7", "4-7", "0-7"};
  EXPECT_EQ(share_of_cores(hosts, same, 0, 8), 2u) << "eight among three";
  EXPECT_EQ(share_of_cores(hosts, same, 2, 8), 2u);
  EXPECT_EQ(share_of_cores(hosts, same, 3, 8), 8u) << "alone on its host";
  EXPECT_EQ(share_of_cores(hosts, own, 0, 4), 4u) << "alone on its cores";
  EXPECT_EQ(share_of_cores(hosts, own, 1, 4), 2u);
  EXPECT_EQ(share_of_cores(hosts, same, 0, 2), 1u) << "never none";
}

}  // namespace
}  // namespace gausscse
