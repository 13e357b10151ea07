#include <nlohmann/json.hpp>

#include "launcher/machine/rank_report.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// A rank of a job whose nodes have two ranks each; it can do nothing.
class RankOfPairs : public ControlGroup {
 public:
  explicit RankOfPairs(int rank) : rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return 6; }
  int local_rank() const override { return rank_ % 2; }
  int local_size() const override { return 2; }
  void barrier() override { refuse(); }
  void local_barrier() override { refuse(); }
  std::vector<std::string> all_gather_text(const std::string&) override {
    refuse();
    return {};
  }
  void broadcast_numbers(std::span<double>) override { refuse(); }

 private:
  static void refuse() { GAUSSCSE_CHECK(false, "there are no other ranks"); }
  int rank_;
};

/// Six ranks on three nodes; no two ranks have an entry in common but for their node.
Provenance job() {
  Provenance job;
  job.version = "1.2";
  job.commit = "abc";
  job.libraries = {{"hdf5", "1.10"}, {"mpi", "4.1"}};
  job.hosts = {"a", "a", "b", "b", "c", "c"};
  job.instruction_sets = {"s0", "s1", "s2", "s3", "s4", "s5"};
  job.bfloat16_instructions = {"p0", "p1", "p2", "p3", "p4", "p5"};
  job.ranks = 6;
  return job;
}

/// Rank 3 is the second of the second node: neither its rank on the node nor its node's number is its rank.
TEST(DoctorReport, IsOfTheRankAmongAllAndOnItsNode) {
  const RankReport report = report_of(job(), RankOfPairs(3), 7, "funneled");
  EXPECT_EQ(report.host, "b");
  EXPECT_EQ(report.local_rank, 1);
  EXPECT_EQ(report.local_size, 2);
  EXPECT_EQ(report.threads, 7);
  EXPECT_EQ(report.instruction_set, "s3");
  EXPECT_EQ(report.bfloat16_instructions, "p3");
  EXPECT_EQ(report.versions, "gausscse 1.2 (abc), hdf5 1.10, mpi 4.1");
  EXPECT_EQ(report.mpi_thread_level, "funneled");
  EXPECT_EQ(report_of(job(), RankOfPairs(4), 7, "funneled").local_rank, 0);
}

/// Every value of a line is another number, and differs from that of the other rank.
RankReport rank_with(int base, const std::string& host) {
  RankReport report;
  report.host = host;
  report.local_rank = base + 1;
  report.local_size = base + 2;
  report.cores = {base + 3, base + 4};
  report.threads = base + 5;
  report.memory_mb = base + 6;
  report.shared_memory_mb = base + 7;
  report.free_disk_mb = base + 8;
  report.instruction_set = concat("set", base);
  report.bfloat16_instructions = concat("bf", base);
  report.versions = concat("program ", base);
  report.mpi_thread_level = concat("level ", base);
  return report;
}

TEST(DoctorReport, HasALineForEachRankOfSeveralNodes) {
  std::vector<RankReport> ranks{rank_with(10, "near"), rank_with(20, "far"), rank_with(30, "far")};
  ranks[1].gpus.visible_devices = "0,2";
  ranks[2].bfloat16_kernel = "fma (2 GFLOP/s a core, vdpbf16ps 1)";
  const std::string lines[] = {
      "rank 0: host near, local rank 11 of 12, cores 13-14, threads 15, kernels for set10, bf16 instructions bf10, "
      "memory 16 MB, /dev/shm 17 MB, disk 18 MB",
      "rank 1: host far, local rank 21 of 22, cores 23-24, threads 25, kernels for set20, bf16 instructions bf20, "
      "memory 26 MB, /dev/shm 27 MB, disk 28 MB",
      "rank 2: host far, local rank 31 of 32, cores 33-34, threads 35, kernels for set30, bf16 instructions bf30 by "
      "fma (2 GFLOP/s a core, vdpbf16ps 1), memory 36 MB, /dev/shm 37 MB, disk 38 MB"};
  const std::string visible = ", CUDA_VISIBLE_DEVICES \"0,2\"", begin = "program 10\nMPI thread level: level 10\n";
  EXPECT_EQ(ranks_text(ranks, {}), concat(begin, lines[0], "\n", lines[1], visible, "\n", lines[2], "\n"));
  ranks[1].mpi_leftovers = {"/dev/shm/vader_segment.far.1", "/dev/shm/sm_segment.my far.2"};
  EXPECT_TRUE(
      ranks_text(ranks, {}).ends_with("note: host far: killed ranks left shared memory of Open MPI, which no process "
                                      "that is seen here uses; free it: rm "
                                      "/dev/shm/vader_segment.far.1 '/dev/shm/sm_segment.my far.2'\n"));
  ranks[1].mpi_leftovers.clear();
  const std::vector<ComputeDevice> devices{{.name = "x"}, {.name = "y"}, {.name = "z"}};
  EXPECT_EQ(ranks_text(ranks, devices), concat(begin, lines[0], ", computes on x\n", lines[1], ", computes on y",
                                               visible, "\n", lines[2], ", computes on z\n"));
}

TEST(DoctorReport, IsWrittenForPrograms) {
  using Json = nlohmann::ordered_json;
  Diagnosis found;
  found.ranks = {rank_with(10, "near"), rank_with(20, "far")};
  found.ranks[1].gpus.visible_devices = "0,2";
  found.ranks[1].bfloat16_kernel = "fma (faster)";
  found.ranks[1].gpus.gpus = {{"a", "GPU-b", "c", 31, 90}};
  found.problems = {"one", "two"};
  found.collectives = {{"cuda", "nccl", 64, {{"barrier", 0.5, 0}, {"all_gather", 0.25, 64}}}};
  const Json json = Json::parse(doctor_json(found));
  EXPECT_EQ(json["format"], "gausscse-doctor/1");
  EXPECT_EQ(
      json["ranks"][1],
      (Json{{"rank", 1},
            {"host", "far"},
            {"local_rank", 21},
            {"local_size", 22},
            {"cores", {23, 24}},
            {"threads", 25},
            {"instruction_set", "set20"},
            {"bfloat16_instructions", "bf20"},
            {"bfloat16_kernel", "fma (faster)"},
            {"memory_mb", 26},
            {"shared_memory_mb", 27},
            {"free_disk_mb", 28},
            {"versions", "program 20"},
            {"mpi_thread_level", "level 20"},
            {"gpus",
             Json::array(
                 {{{"name", "a"}, {"uuid", "GPU-b"}, {"pci", "c"}, {"memory_mb", 31}, {"compute_capability", "9.0"}}})},
            {"cuda_visible_devices", "0,2"}}));
  EXPECT_EQ(json["ranks"][0]["gpus"], Json::array());
  EXPECT_EQ(json["problems"], (Json{"one", "two"}));
  EXPECT_EQ(json["collectives"], Json::parse(R"([{"device": "cuda", "transport": "nccl", "bytes": 64, "calls": {
      "barrier": {"seconds": 0.5}, "all_gather": {"seconds": 0.25, "bytes_per_second": 256.0}}}])"));
  found.ranks[0].mpi_leftovers = {"/dev/shm/one", "/dev/shm/two"};
  EXPECT_EQ(Json::parse(doctor_json(found))["ranks"][0]["mpi_leftovers"], (Json{"/dev/shm/one", "/dev/shm/two"}));
  found.devices = {{.name = "x"}, {.name = "y"}};
  EXPECT_EQ(Json::parse(doctor_json(found))["ranks"][1]["device"], "y");
}

}  // namespace
}  // namespace gausscse
