#include "experiments/grid/probe_record.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using testing_support::refusal_of;
using testing_support::says;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

const ProbeRecord all_different{.ranks = 2,
                                .threads = 3,
                                .examples = 4000,
                                .start_seconds = 1.25,
                                .measurement_seconds = 0.1,
                                .periods = {{5, 0.3}, {50, 0.7}},
                                .steps = {{16, 0.01, 1'000'000'007}, {64, 0.03, 2'000'000'011}},
                                .disk_bytes = 90'000'001};

TEST(ProbeRecord, ComesBackFromItsFile) {
  const TemporaryFolder folder;
  write_probe_record(folder / "probe", all_different);
  EXPECT_EQ(read_probe_record(folder / "probe"), all_different);
}

TEST(ProbeRecord, IsRefusedWhereItIsNone) {
  const TemporaryFolder folder;
  EXPECT_TRUE(says(refusal_of([&] { read_probe_record(folder / "missing"); }), "no such file"));
  write_probe_record(folder / "probe", all_different);
  const std::string whole = read_whole_file(folder / "probe", 1 << 20);
  for (std::size_t size = 0; size + 2 < whole.size(); size += 7) {
    write_bytes(folder / "probe", whole.substr(0, size));
    EXPECT_TRUE(says(refusal_of([&] { read_probe_record(folder / "probe"); }), (folder / "probe").string())) << size;
  }
  const std::vector<std::pair<std::string, std::string>> changes{{"gausscse-probe/1", "gausscse-run/1"},
                                                                 {"\"ranks\": 2", "\"ranks\": 0"},
                                                                 {"\"examples\": 4000", "\"examples\": 0"},
                                                                 {"1.25", "-1.25"},
                                                                 {"0.03", "0"},
                                                                 {"\"threads\"", "\"other\""},
                                                                 {"1000000007", "-1"},
                                                                 {"\"eval_every\": 5,", "\"eval_every\": 0,"}};
  for (const auto& [from, to] : changes) {
    std::string changed = whole;
    const std::size_t place = changed.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    changed.replace(place, from.size(), to);
    write_bytes(folder / "probe", changed);
    EXPECT_TRUE(says(refusal_of([&] { read_probe_record(folder / "probe"); }), (folder / "probe").string())) << from;
  }
  ProbeRecord nothing = all_different;
  nothing.steps.clear();
  write_probe_record(folder / "probe", nothing);
  EXPECT_TRUE(says(refusal_of([&] { read_probe_record(folder / "probe"); }), "steps"));
}

}  // namespace
}  // namespace gausscse
