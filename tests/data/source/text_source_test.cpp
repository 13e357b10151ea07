#include "data/source/text_source.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path tables = testing_support::golden("tables");

/// Returns all of a file's text, read by pieces of `capacity` bytes.
std::string text_of(const fs::path& path, std::size_t capacity = 4096) {
  TextSource source(path);
  std::string text, piece(capacity, '\0');
  while (const std::size_t count = source.read(piece.data(), capacity)) text.append(piece, 0, count);
  return text;
}

std::vector<Json> rows_of(const std::string& text) {
  std::vector<Json> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) rows.push_back(Json::parse(line));
  return rows;
}

std::string message_of(const fs::path& path) {
  try {
    text_of(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Returns false where the build found no Arrow: a table is refused then, which this checks.
bool has_plugin() {
  if (GAUSSCSE_HAS_PARQUET) return true;
  const std::string message = message_of(tables / "pandas.parquet");
  EXPECT_NE(message.find("the plug-in for such tables is not there"), std::string::npos) << message;
  EXPECT_NE(message.find("python3 -c 'import pandas"), std::string::npos) << message;
  return false;
}

TEST(TextSource, GivesPlainTextAsItIs) {
  EXPECT_EQ(text_of(tables / "text.jsonl"), read_whole_file(tables / "text.jsonl", 1 << 20));
}

TEST(TextSource, UnpacksWhatOthersCompressedInPiecesOfAnySize) {
  const std::string text = read_whole_file(tables / "text.jsonl", 1 << 20);
  for (const char* name : {"one.gz", "members.gz", "one.zst", "frames.zst"})
    for (const std::size_t capacity : {1, 7, 100, 100000}) EXPECT_EQ(text_of(tables / name, capacity), text) << name;
}

TEST(TextSource, NamesEveryCutOfCompressedData) {
  testing_support::TemporaryFolder folder;
  const std::string text = read_whole_file(tables / "text.jsonl", 1 << 20);
  for (const char* name : {"one.gz", "one.zst"}) {
    const std::string whole = read_whole_file(tables / name, 1 << 20);
    for (std::size_t size = 4; size < whole.size(); size += 7) {
      testing_support::write_bytes(folder / name, whole.substr(0, size));
      EXPECT_NE(message_of(folder / name).find("the file is cut short, get it again"), std::string::npos)
          << name << " cut after " << size;
    }
  }
}

TEST(TextSource, NamesDamagedData) {
  testing_support::TemporaryFolder folder;
  std::string bytes = read_whole_file(tables / "one.gz", 1 << 20);
  bytes[bytes.size() / 2] ^= 0x10;
  testing_support::write_bytes(folder / "x.gz", bytes);
  EXPECT_NE(message_of(folder / "x.gz").find("x.gz: the gzip data are damaged"), std::string::npos)
      << message_of(folder / "x.gz");
  bytes = read_whole_file(tables / "one.gz", 1 << 20) + "more";
  testing_support::write_bytes(folder / "y.gz", bytes);
  EXPECT_NE(message_of(folder / "y.gz").find("y.gz: the gzip data are damaged"), std::string::npos);
  bytes = read_whole_file(tables / "frames.zst", 1 << 20);
  bytes[bytes.size() - 1] ^= 0x10;  // of the checksum
  testing_support::write_bytes(folder / "x.zst", bytes);
  EXPECT_NE(message_of(folder / "x.zst").find("x.zst: the zstd data cannot be unpacked"), std::string::npos);
}

TEST(TextSource, ReadsTablesAsPandasDoes) {
  if (!has_plugin()) GTEST_SKIP() << "this build has no Arrow";
  const std::vector<Json> expected = rows_of(read_whole_file(tables / "rows.jsonl", 1 << 20));
  EXPECT_EQ(expected.size(), 7u);
  for (const Json& table : expected) {
    const std::string name = table.at("table");
    for (const std::size_t capacity : {1, 50, 100000}) {
      const std::vector<Json> rows = rows_of(text_of(tables / name, capacity));
      EXPECT_EQ(Json(rows), table.at("rows")) << name;
    }
  }
}

TEST(TextSource, KeepsTheOrderOfColumns) {
  if (!has_plugin()) GTEST_SKIP() << "this build has no Arrow";
  const std::string text = text_of(tables / "polars.parquet");
  EXPECT_EQ(text.substr(0, text.find('\n')),
            R"({"premise":"A man plays a guitar.","hypothesis":"Someone makes music.","label":0,"score":4.5})");
}

TEST(TextSource, GivesTheTypeOfValuesThatAreNoText) {
  if (!has_plugin()) GTEST_SKIP() << "this build has no Arrow";
  EXPECT_EQ(text_of(tables / "others.parquet"),
            R"({"text":"a","time":{"type":"timestamp[us]"},"bytes":{"type":"binary"}})"
            "\n");
}

TEST(TextSource, NamesATableThatIsCutOrDamagedAndHowToConvertIt) {
  if (!has_plugin()) GTEST_SKIP() << "this build has no Arrow";
  testing_support::TemporaryFolder folder;
  const std::string whole = read_whole_file(tables / "pandas.parquet", 1 << 20);
  for (std::size_t size = 16; size < whole.size(); size += 37) {
    testing_support::write_bytes(folder / "cut.parquet", whole.substr(0, size));
    const std::string message = message_of(folder / "cut.parquet");
    EXPECT_NE(message.find("cut.parquet: the Parquet table cannot be read: "), std::string::npos) << message;
    EXPECT_NE(message.find("python3 -c 'import pandas"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace gausscse
