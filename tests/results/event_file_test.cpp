#include "results/event_file.hpp"

#include <unistd.h>

#include "base/process.hpp"
#include "tests/results/read_events.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Scalars = std::vector<NamedScalar>;

/// The examples of RFC 3720, appendix B.4, and the check value of the catalogues of checksums.
TEST(Crc32c, IsThatOfRfc3720) {
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  std::string rising(32, '\0');
  std::iota(rising.begin(), rising.end(), '\0');
  EXPECT_EQ(crc32c(rising), 0x46dd794eu);
  EXPECT_EQ(crc32c(std::string(rising.rbegin(), rising.rend())), 0x113fdb5cu);
  std::string command(48, '\0');
  command[0] = '\x01';
  command[1] = '\xc0';
  command[16] = command[27] = '\x14';
  command[22] = '\x04';
  command[31] = '\x18';
  command[32] = '\x28';
  command[40] = '\x02';
  EXPECT_EQ(crc32c(command), 0xd9963a56u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(""), 0u);
}

std::string hexadecimal_content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text;
  for (auto byte = std::istreambuf_iterator<char>(in); byte != std::istreambuf_iterator<char>(); ++byte) {
    const auto value = static_cast<unsigned char>(*byte);
    text += "0123456789abcdef"[value / 16];
    text += "0123456789abcdef"[value % 16];
  }
  return text;
}

constexpr double noon = 1764175000.25;

/// The bytes are those of RecordWriter and Event of PyPI's tensorboard 2.21.0.
TEST(EventFile, HasTheBytesOfTensorboardsOwnWriter) {
  const TemporaryFolder folder;
  EventFile file(folder / "new", 300, noon);
  file.add(300, noon, Scalars{{"training/loss", 2.5}, {"dev/auprc", -0.1}});
  EXPECT_EQ(hexadecimal_content(file.path()),
            "1800000000000000a37f4b220900001026cb49da411a0d627261696e2e4576656e743a3203991151"
            "100000000000000095fbfe180900001026cb49da4110ac023a0208013ccafff9"
            "36000000000000004f578cef0900001026cb49da4110ac022a280a140a0d747261696e696e672f6c6f7373150000204"
            "00a100a096465762f617570726315cdccccbdf189b407");
}

TEST(EventFile, HoldsAnyStepAndValue) {
  const TemporaryFolder folder;
  EventFile file(folder.path(), 0, noon);
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  file.add(0, noon, Scalars{{"zero", 0}, {"none", std::numeric_limits<double>::quiet_NaN()}});
  file.add(last, noon + 1, Scalars{{std::string(300, 'x'), 3.0e38}, {"not \xff UTF-8", -1e-45}});
  const std::vector<ReadEvent> events = read_events(file.path());
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_TRUE(events[1].starts_session);
  EXPECT_EQ(events[2].step, 0);
  EXPECT_EQ(events[2].scalars.at("zero"), 0);
  EXPECT_TRUE(std::isnan(events[2].scalars.at("none")));
  EXPECT_EQ(events[3].step, last);
  EXPECT_EQ(events[3].wall_time, noon + 1);
  EXPECT_EQ(events[3].scalars,
            (std::map<std::string, float>{{std::string(300, 'x'), 3.0e38f}, {"not \\xFF UTF-8", -1e-45f}}));
}

/// Readers take files in the order of their names, also where the clock is behind that of an earlier run.
TEST(EventFile, IsNamedAfterItsTimeBehindTheOthers) {
  const TemporaryFolder folder;
  const auto name_at = [&](double seconds) { return EventFile(folder.path(), 0, seconds).path().filename().string(); };
  const std::string end = concat(".", host_name(), ".", ::getpid(), ".0");
  EXPECT_EQ(name_at(noon), "events.out.tfevents.1764175000" + end);
  EXPECT_EQ(name_at(noon), "events.out.tfevents.1764175001" + end);
  EXPECT_EQ(name_at(noon - 1000), "events.out.tfevents.1764175002" + end);
  EXPECT_EQ(name_at(noon + 1000), "events.out.tfevents.1764176000" + end);
  write_bytes(folder / "events.out.tfevents.1764177000.other-host.7.3", "");
  write_bytes(folder / "events.out.tfevents.99999999999.too.long", "");
  write_bytes(folder / "events.out.tfevents.17641780xx.no.number", "");
  write_bytes(folder / "another.1764179000.file", "");
  EXPECT_EQ(name_at(noon), "events.out.tfevents.1764177001" + end);
}

/// The third record does not fit, or only in part. The next ones do again.
TEST(EventFile, StaysReadableWhereADiskIsFull) {
  const TemporaryFolder folder;
  for (const rlim_t room : {rlim_t{0}, rlim_t{1}, rlim_t{20}}) {
    EventFile file(folder.path(), 0, noon);
    file.add(1, noon, Scalars{{"loss", 1}});
    const auto size = std::filesystem::file_size(file.path());
    {
      const FileSizeLimit full(size + room);
      EXPECT_THROW(file.add(2, noon, Scalars{{"loss", 2}}), WriteError);
    }
    EXPECT_EQ(std::filesystem::file_size(file.path()), size) << room;
    file.add(3, noon, Scalars{{"loss", 3}});
    const std::vector<ReadEvent> events = read_events(file.path());
    ASSERT_EQ(events.size(), 4u);
    EXPECT_EQ(events[2].step, 1);
    EXPECT_EQ(events[3].step, 3);
  }
}

TEST(EventFile, IsNotLeftWithoutItsBeginning) {
  const TemporaryFolder folder;
  for (const rlim_t room : {rlim_t{0}, rlim_t{30}, rlim_t{60}}) {
    const FileSizeLimit full(room);
    EXPECT_THROW(EventFile(folder.path(), 0, noon), WriteError);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << room;
  }
  EXPECT_THROW(EventFile(folder / "none/deeper", 0, noon), WriteError);
}

/// A call is interrupted, or a write takes one byte only.
TEST(EventFile, IsWholeWhereCallsDoPartOfTheirWork) {
  for (const Fault fault : {Fault::interrupted, Fault::short_write}) {
    std::size_t k = 1;
    for (bool fired = true; fired; ++k) {
      const TemporaryFolder folder;
      {
        const FaultInjection faults(k, fault);
        EventFile file(folder / "new", 5, noon);
        file.add(6, noon, Scalars{{"loss", 1}});
        fired = faults.fired();
      }
      const auto files = event_files_in(folder / "new");
      ASSERT_EQ(files.size(), 1u);
      EXPECT_EQ(read_events(files[0]).size(), 3u) << k;
    }
    EXPECT_GT(k, 5u) << "the folder, the file and its three records";
  }
}

}  // namespace
}  // namespace gausscse
