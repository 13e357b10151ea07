#include "launcher/machine/rank_report.hpp"

#include <sys/sysinfo.h>

#include "launcher/machine/cores.hpp"
#include "tests/launcher/machine/pretended_gpus.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::vector<int> cores_from(int first, int count) {
  std::vector<int> cores(static_cast<std::size_t>(count));
  std::iota(cores.begin(), cores.end(), first);
  return cores;
}

/// Returns a rank with nothing to complain of.
RankReport healthy(const std::string& host, std::vector<int> cores) {
  RankReport report;
  report.host = host;
  report.threads = static_cast<std::int64_t>(cores.size());
  report.cores = std::move(cores);
  report.memory_mb = 64000;
  report.shared_memory_mb = 32000;
  report.free_disk_mb = 100000;
  report.versions = "gausscse 1 (abc)";
  report.instruction_set = "avx512";
  report.bfloat16_instructions = "amx";
  report.mpi_thread_level = "multiple";
  return report;
}

/// Two nodes of two ranks, each rank with four cores.
std::vector<RankReport> healthy_job() {
  return {healthy("a", cores_from(0, 4)), healthy("a", cores_from(4, 4)), healthy("b", cores_from(0, 4)),
          healthy("b", cores_from(4, 4))};
}

/// Expects one finding, with both texts in it.
void expect_finding(const std::vector<RankReport>& ranks, const std::string& place, const std::string& text) {
  const std::vector<std::string> found = findings(ranks);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().find(place), 0u) << found.front();
  EXPECT_NE(found.front().find(text), std::string::npos) << found.front();
}

TEST(RankReport, KeepsEverythingWhenSent) {
  RankReport report = healthy("node \"1\"\n", cores_from(2, 3));
  report.local_rank = 1;
  report.local_size = 2;
  report.gpus = inventory({gpu(2), gpu(0)});
  report.shared_memory_mb = -1;
  report.start_note = "one of two";
  report.bfloat16_kernel = "fma (it is faster)";
  report.mpi_leftovers = {"/dev/shm/a", "/dev/shm/b"};
  const RankReport received = parse_report(to_text(report));
  EXPECT_EQ(received.host, report.host);
  EXPECT_EQ(received.local_rank, 1);
  EXPECT_EQ(received.local_size, 2);
  EXPECT_EQ(received.cores, report.cores);
  EXPECT_EQ(received.threads, 3);
  EXPECT_EQ(received.memory_mb, report.memory_mb);
  EXPECT_EQ(received.shared_memory_mb, -1);
  EXPECT_EQ(received.free_disk_mb, report.free_disk_mb);
  EXPECT_EQ(received.gpus, report.gpus);
  EXPECT_EQ(received.versions, report.versions);
  EXPECT_EQ(received.instruction_set, "avx512");
  EXPECT_EQ(received.bfloat16_instructions, "amx");
  EXPECT_EQ(received.bfloat16_kernel, "fma (it is faster)");
  EXPECT_EQ(received.mpi_thread_level, "multiple");
  EXPECT_EQ(received.start_note, "one of two");
  EXPECT_EQ(received.mpi_leftovers, report.mpi_leftovers);
}

TEST(RankReport, SeesThisMachine) {
  const RankReport report = collect_rank_report();
  EXPECT_EQ(report.cores, allowed_cores());
  struct sysinfo machine {};
  ASSERT_EQ(::sysinfo(&machine), 0);
  constexpr double megabyte = 1 << 20;
  const double memory = static_cast<double>(machine.totalram) * machine.mem_unit / megabyte;
  EXPECT_LE(static_cast<double>(report.memory_mb), memory);
  EXPECT_GE(static_cast<double>(report.memory_mb), memory / 1000) << "this test itself takes more";
  // Others may write meanwhile.
  const auto expect_free = [&](std::int64_t megabytes, const char* folder) {
    const double expected = static_cast<double>(std::filesystem::space(folder).available) / megabyte;
    EXPECT_NEAR(static_cast<double>(megabytes), expected, 64 + expected / 100) << folder;
  };
  expect_free(report.free_disk_mb, ".");
  if (std::filesystem::is_directory("/dev/shm"))
    expect_free(report.shared_memory_mb, "/dev/shm");
  else
    EXPECT_EQ(report.shared_memory_mb, -1);
}

TEST(Findings, AHealthyJobHasNone) {
  EXPECT_TRUE(findings(healthy_job()).empty());
  // Ranks that may run on the same cores, with threads for all of them.
  std::vector<RankReport> shared = {healthy("a", cores_from(0, 8)), healthy("a", cores_from(0, 8))};
  shared[0].threads = shared[1].threads = 4;
  EXPECT_TRUE(findings(shared).empty());
}

TEST(Findings, RanksThatShareACore) {
  std::vector<RankReport> ranks = healthy_job();
  ranks[3].cores = ranks[2].cores;
  expect_finding(ranks, "b: ", "2 ranks with 8 threads in all share 4 cores (0-3): give --threads 2");
}

TEST(Findings, OtherVersions) {
  std::vector<RankReport> ranks = healthy_job();
  ranks[2].versions = "gausscse 2 (def)";
  expect_finding(ranks, "rank 2 on b runs gausscse 2 (def), rank 0 runs gausscse 1 (abc)", "start the same program");
}

TEST(Findings, LittleSharedMemory) {
  std::vector<RankReport> ranks = healthy_job();
  ranks[0].shared_memory_mb = ranks[1].shared_memory_mb = 10;
  expect_finding(ranks, "a: ", "/dev/shm has 10 MB free");
  // A rank alone on its node does not need it.
  EXPECT_TRUE(findings({ranks[0], ranks[2], ranks[3]}).empty());
}

TEST(Findings, FullDisk) {
  std::vector<RankReport> ranks = healthy_job();
  ranks[0].free_disk_mb = 5;
  expect_finding(ranks, "a: ", "the working folder has 5 MB free");
}

TEST(Findings, LowThreadLevel) {
  std::vector<RankReport> ranks = healthy_job();
  ranks[0].mpi_thread_level = "funneled";
  expect_finding(ranks, "a: ", "thread level funneled");
}

TEST(Findings, OtherInstructions) {
  std::vector<RankReport> ranks = healthy_job();
  ranks[2].instruction_set = "avx2";
  expect_finding(ranks, "rank 2 on b computes with avx2 (bf16: amx), rank 0 with avx512 (bf16: amx)",
                 "the last bits of their results differ");
  ranks[2].instruction_set = "avx512";
  ranks[2].bfloat16_instructions = "none";
  expect_finding(ranks, "rank 2 on b computes with avx512 (bf16: none)", "rank_invariant is refused");
}

TEST(Findings, HowTheRanksWereStartedIsReportedOnce) {
  std::vector<RankReport> ranks = healthy_job();
  for (RankReport& rank : ranks) rank.start_note = "another launcher started 8 processes";
  expect_finding(ranks, "another launcher started 8 processes", "");
}

TEST(Findings, AreReportedForEachNode) {
  std::vector<RankReport> ranks = healthy_job();
  for (RankReport& rank : ranks) rank.free_disk_mb = 5;
  EXPECT_EQ(findings(ranks).size(), 2u);
}

}  // namespace
}  // namespace gausscse
