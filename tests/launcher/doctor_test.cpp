#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// Expects that the exit code is that of the report, which names the missing parts of the machine.
void expect_report(const ProgramRun& run, std::size_t ranks) {
  for (std::size_t rank = 0; rank <= ranks; ++rank)
    EXPECT_EQ(count(run.output, concat("\nrank ", rank, ": host ")), rank < ranks ? 1u : 0u)
        << run.output << run.errors;
  for (const char* text : {"gausscse ", "hdf5 ", "MPI thread level: ", "local rank 0 of ", "kernels for ",
                           "bf16 instructions ", "/dev/shm ", "disk ", "\nGPUs: "})
    EXPECT_NE(run.output.find(text), std::string::npos) << text << " in:\n" << run.output;
  for (const char* text : {"\ncollectives on cpu, ", "  barrier ", "  all_reduce_sum ", "  all_gather ",
                           "  reduce_scatter_sum ", "  all_to_all ", "  ring_shift ", "  broadcast "})
    EXPECT_EQ(count(run.output, text), ranks > 1 ? 1u : 0u) << text << " in:\n" << run.output;
  EXPECT_EQ(count(run.output, "\ncollectives: none, as there is one rank"), ranks > 1 ? 0u : 1u) << run.output;
  EXPECT_EQ(count(run.output, " GB/s"), ranks > 1 ? 6u : 0u) << run.output;
  // Programs are tested in builds for CPUs.
  EXPECT_EQ(count(run.output, "\nGPUs: this build computes on CPUs only"), 1u) << run.output;
  for (const char* text : {"nccl", "NCCL", "driver", "collectives on cuda"})
    EXPECT_EQ(count(run.output, text), 0u) << text << " in:\n" << run.output;
  const bool problems = run.output.find("\nproblem: ") != std::string::npos;
  EXPECT_EQ(run.output.find("no problem found") == std::string::npos, problems) << run.output;
  EXPECT_EQ(run.exit_code, problems ? 2 : 0) << run.output << run.errors;
}

/// Returns the number that `words` are followed by, and " MB" after it.
double megabytes_after(const std::string& text, const std::string& words) {
  const std::size_t place = text.find(words);
  if (place == std::string::npos) return -1;
  std::size_t length = 0;
  const std::string rest = text.substr(place + words.size());
  const double number = std::stod(rest, &length);
  EXPECT_EQ(rest.substr(length, 3), " MB") << text;
  return number;
}

TEST(Doctor, ReportsOnOneProcess) {
  const std::string left = concat("/dev/shm/vader_segment.gausscse-test.", ::getpid(), ".0");
  write_bytes(left, "x");
  const ProgramRun run = run_program({"doctor", "--threads", "1"});
  std::filesystem::remove(left);
  expect_report(run, 1);
  EXPECT_TRUE(says(run.output, left));
}

TEST(Doctor, ReportsWhatIsFreeOfMemoryAndDisks) {
  const std::string output = run_program({"doctor", "--threads", "1"}).output;
  struct sysinfo machine {};
  ASSERT_EQ(::sysinfo(&machine), 0);
  constexpr double megabyte = 1 << 20;
  const double memory = static_cast<double>(machine.totalram) * machine.mem_unit / megabyte;
  EXPECT_LE(megabytes_after(output, ", memory "), memory) << output;
  EXPECT_GE(megabytes_after(output, ", memory "), memory / 1000) << output;
  // Others may write meanwhile.
  for (const auto& [words, folder] : {std::pair{", /dev/shm ", "/dev/shm"}, std::pair{", disk ", "."}}) {
    if (!std::filesystem::is_directory(folder)) continue;
    const double expected = static_cast<double>(std::filesystem::space(folder).available) / megabyte;
    EXPECT_NEAR(megabytes_after(output, words), expected, 64 + expected / 100) << output;
  }
}

TEST(Doctor, ReportsOnEachRank) {
  const ProgramRun run = run_program({"doctor", "--threads", "1", "--size", "2"}, 2);
  expect_report(run, 2);
  EXPECT_TRUE(says(run.output, "local rank 1 of 2"));
  EXPECT_TRUE(says(run.output, "\ncollectives on cpu, 2 ranks (mpi), 2 MiB:\n"));
}

TEST(Doctor, WritesTheSameForPrograms) {
  const TemporaryFolder folder;
  const std::string file = (folder / "doctor.json").string();
  write_bytes(file, "mine");
  run_expecting(2, {"doctor", "--json", file}, {"--json " + file + " is there already"});
  const ProgramRun run = run_program({"doctor", "--threads", "1", "--json", file, "--overwrite"}, 2);
  expect_report(run, 2);
  const nlohmann::json json = nlohmann::json::parse(read_whole_file(file, 1 << 20));
  EXPECT_EQ(json["format"], "gausscse-doctor/1");
  ASSERT_EQ(json["ranks"].size(), 2u);
  EXPECT_EQ(json["ranks"][1]["local_rank"], 1);
  EXPECT_EQ(json["ranks"][1]["threads"], 1);
  EXPECT_EQ(json["ranks"][1]["device"], "cpu");
  EXPECT_EQ(json["problems"].empty(), run.exit_code == 0);
  ASSERT_EQ(json["collectives"].size(), 1u);
  EXPECT_EQ(json["collectives"][0]["transport"], "mpi");
  EXPECT_EQ(json["collectives"][0]["bytes"], 64 << 20);
  EXPECT_FALSE(json["collectives"][0]["calls"]["barrier"].contains("bytes_per_second"));
  EXPECT_GT(json["collectives"][0]["calls"]["all_gather"]["bytes_per_second"], 0.0);
  const ProgramRun alone = run_program({"doctor", "--threads", "1", "--json", "-"});
  EXPECT_EQ(nlohmann::json::parse(alone.output)["ranks"].size(), 1u) << alone.output;
  EXPECT_TRUE(nlohmann::json::parse(alone.output)["collectives"].empty());
}

/// The bindings are those of launchers; every build reports them, so that bindings can be looked at before there are
/// GPUs.
TEST(Doctor, ReportsWhichGpusARankIsShown) {
  const std::string shown = "CUDA_VISIBLE_DEVICES";
  const ProgramRun run = run_program(
      {"doctor", "--threads", "1", "--device", "cpu", "--size", "1"},
      {.ranks = 2,
       .environment = {{shown, "0,2"}},
       .last_rank_arguments = {shown + "=GPU-1a", GAUSSCSE_PROGRAM, "doctor", "--threads", "1", "--size", "1"},
       .last_rank_program = "/usr/bin/env"});
  expect_report(run, 2);
  EXPECT_EQ(count(run.output, ", computes on cpu, CUDA_VISIBLE_DEVICES \"0,2\"\nrank 1: "), 1u) << run.output;
  EXPECT_EQ(count(run.output, ", computes on cpu, CUDA_VISIBLE_DEVICES \"GPU-1a\"\n"), 1u) << run.output;
  EXPECT_EQ(count(run.output, "\nGPUs: "), 1u) << run.output;
  EXPECT_EQ(count(run_program({"doctor", "--threads", "1"}).output, shown),
            std::getenv("CUDA_VISIBLE_DEVICES") ? 1u : 0u);
}

TEST(Doctor, ReportsThatRanksShareCores) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const int cores = CPU_COUNT(&allowed);
  const ProgramRun run = run_expecting(2, {"doctor", "--threads", std::to_string(cores), "--size", "1"}, {}, 2);
  const std::string found = concat("2 ranks with ", 2 * cores, " threads in all share ", cores, " cores (");
  EXPECT_TRUE(says(run.output, found));
  EXPECT_LT(run.output.find("\nproblem: "), run.output.find("\ncollectives on cpu")) << run.output;
}

}  // namespace
}  // namespace gausscse
