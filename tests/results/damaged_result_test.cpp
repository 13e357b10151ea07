#include <unistd.h>
#include <xxhash.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <random>

#include "results/guarded_reading.hpp"
#include "results/result_file.hpp"
#include "tests/results/changed_hdf5.hpp"
#include "tests/results/sample_result.hpp"
#include "tests/support/disturbances.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

constexpr std::size_t sector = 512;

/// Returns the bytes with one thing changed, another one for each `number`. It is a bit, a sector of zeros, a sector of
/// noise, two sectors that changed places, a part cut off at the end, or bytes behind it.
std::string mutated(std::string bytes, unsigned number) {
  std::mt19937 random(number);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const std::size_t sectors = bytes.size() / sector;
  const std::size_t at = below(sectors) * sector, other = below(sectors) * sector;
  switch (number % 8) {
    case 0:
      bytes.replace(at, sector, sector, '\0');
      break;
    case 1:
      for (std::size_t i = at; i < at + sector; ++i) bytes[i] = static_cast<char>(random());
      break;
    case 2:
      std::swap_ranges(bytes.begin() + static_cast<long>(at), bytes.begin() + static_cast<long>(at + sector),
                       bytes.begin() + static_cast<long>(other));
      break;
    case 3:
      bytes.resize(below(bytes.size()));
      break;
    case 4:
      bytes.append(1 + below(sector), static_cast<char>(random()));
      break;
    default:
      bytes[below(bytes.size())] ^= static_cast<char>(1 << below(8));
  }
  return bytes;
}

/// Returns the seal by the format's description, made without the product.
std::string seal_by_hand(std::string_view hdf5) {
  const XXH128_hash_t hash = XXH3_128bits(hdf5.data(), hdf5.size());
  char text[512];
  const int length = std::snprintf(
      text, sizeof text,
      "gausscse-seal/1\nAn HDF5 file begins at byte 512. Programs that read HDF5 open it as it is.\nbytes behind this "
      "block: %zu\nXXH3-128 of these bytes: %016llx%016llx\n",
      hdf5.size(), static_cast<unsigned long long>(hash.high64), static_cast<unsigned long long>(hash.low64));
  std::string block(text, static_cast<std::size_t>(length));
  return block.append(511 - block.size(), ' ') + '\n';
}

TEST(DamagedResult, ASealIsTheSizeAndHashOfWhatFollows) {
  const std::string bytes = result_file_bytes(sample_result());
  const std::string_view hdf5 = std::string_view(bytes).substr(512);
  EXPECT_TRUE(hdf5.starts_with("\x89HDF\r\n\x1a\n"));
  EXPECT_EQ(bytes.substr(0, 512), seal_by_hand(hdf5));
}

TEST(DamagedResult, EverySealedFileThatWasChangedIsRefusedByName) {
  const TemporaryFolder folder;
  const std::string bytes = result_file_bytes(sample_result());
  std::size_t changed = 0;
  for (unsigned number = 0; number < 800; ++number) {
    const std::string other = mutated(bytes, number);
    if (other == bytes) continue;
    ++changed;
    write_bytes(folder / "result.h5", other);
    const std::string refusal = refusal_of([&] { read_result(folder / "result.h5"); });
    ASSERT_TRUE(says(refusal, (folder / "result.h5").string())) << number << ": " << refusal;
    // A file cut to less than the seal's first word does not begin as a result.
    ASSERT_TRUE(other.size() < 14 || says(refusal, "damaged: its size and XXH3-128")) << number << ": " << refusal;
  }
  count_disturbance("results with changed bytes", changed);
  EXPECT_GT(changed, 700u);
}

/// A file that no seal protects may read as other values; it ends no process.
TEST(DamagedResult, AFileWithoutASealIsReadOrRefusedByName) {
  const TemporaryFolder folder;
  const std::string sealed = result_file_bytes(sample_result()), bytes = without_seal(sealed);
  write_bytes(folder / "result.h5", bytes);
  EXPECT_EQ(result_file_bytes(read_result(folder / "result.h5")), sealed);
  EXPECT_TRUE(is_result_file(folder / "result.h5", false));
  EXPECT_EQ(read_kept_state(folder / "result.h5").step, 2);
  std::size_t refused = 0, read = 0;
  for (unsigned number = 1; number < 200; ++number) {
    if (number % 8 == 0) continue;  // of zeros most loop; see below
    write_bytes(folder / "result.h5", mutated(bytes, number));
    const std::string refusal = refusal_of([&] { read_result(folder / "result.h5"); });
    const bool accepted = refusal == "accepted";
    ++(accepted ? read : refused);
    ASSERT_TRUE(accepted || says(refusal, (folder / "result.h5").string())) << number << ": " << refusal;
  }
  count_disturbance("results with changed bytes", read + refused);
  EXPECT_GT(refused, 50u);
  EXPECT_GT(read, 20u);
}

/// It would be printed, and written as JSON.
TEST(DamagedResult, TextThatIsNotUtf8IsRefused) {
  const TemporaryFolder folder;
  RunResult result = sample_result();
  result.configuration = "text to change";
  std::string bytes = without_seal(result_file_bytes(result));
  const std::size_t place = bytes.find("text to change");
  ASSERT_NE(place, std::string::npos);
  bytes[place + 5] = '\xAE';
  write_bytes(folder / "result.h5", bytes);
  EXPECT_TRUE(says(refusal_of([&] { read_result(folder / "result.h5"); }), "is not UTF-8"));
}

/// HDF5 1.10 looks for the next object of a heap of zeros for ever.
TEST(DamagedResult, AFileWithoutASealDoesNotLoop) {
  const TemporaryFolder folder;
  std::string bytes = without_seal(result_file_bytes(sample_result()));
  const std::size_t heap = bytes.find("GCOL");
  ASSERT_NE(heap, std::string::npos);
  bytes.replace(heap + 16, sector, sector, '\0');
  write_bytes(folder / "result.h5", bytes);
  EXPECT_TRUE(says(refusal_of([&] { read_result(folder / "result.h5"); }), "result.h5: not a whole result file"));
}

TEST(DamagedResult, WhatIsComputedApartComesBackHoweverItEnds) {
  const std::chrono::seconds limit(2);
  EXPECT_EQ(computed_apart(limit, [] { return std::string(300'000, 'x'); }), std::string(300'000, 'x'));
  EXPECT_EQ(computed_apart(limit, [] { return std::string(); }), "");
  const auto end_of = [&](const std::function<std::string()>& work) {
    return refusal_of([&] { computed_apart(limit, work); });
  };
  EXPECT_EQ(end_of([]() -> std::string { throw InputError("no such thing"); }), "no such thing");
  EXPECT_TRUE(says(end_of([] {
                     ::raise(SIGSEGV);
                     return std::string();
                   }),
                   "ended with signal 11"));
  EXPECT_EQ(end_of([]() -> std::string { ::_exit(0); }), "the process that read it ended without an answer");
  EXPECT_EQ(end_of([] {
              while (std::clock() >= 0) {
              }
              return std::string();
            }),
            "its reading did not end within 2 s of processor time");
  EXPECT_EQ(time_to_read(0).count(), 2);
  EXPECT_EQ(time_to_read(std::size_t{1} << 30).count(), 2 + 102);
}

}  // namespace
}  // namespace gausscse
