#include "data/source/text_source.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <nlohmann/json.hpp>

#include "parquet_plugin/loaded_plugin.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path tables = golden("tables");

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

/// Text of more than a reader's buffers, compressed or not: no line repeats, so that a codec gains little.
std::string long_text() {
  std::string text;
  std::uint64_t state = 1;
  for (int line = 0; line < 20000; ++line) {
    state = state * 6364136223846793005 + 1442695040888963407;
    text += std::to_string(line) + " " + std::to_string(state) + "\n";
  }
  return text;
}

std::string gzipped(const std::string& text) {
  std::string bytes(text.size() + 1000, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

std::string zstandard(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 3));
  return bytes;
}

TEST(TextSource, UnpacksMoreThanItsBuffersHold) {
  TemporaryFolder folder;
  const std::string text = long_text();
  const std::size_t half = text.size() / 2;
  for (const auto& compress : {gzipped, zstandard}) {
    const std::string one = compress(text), two = compress(text.substr(0, half)) + compress(text.substr(half));
    ASSERT_GT(one.size(), std::size_t{3} << 16);
    for (const std::string& bytes : {one, two}) {
      write_bytes(folder / "long", bytes);
      for (const std::size_t capacity : {1000, 65536, 1 << 20})
        EXPECT_TRUE(text_of(folder / "long", capacity) == text) << capacity;
    }
  }
}

TEST(TextSource, NamesEveryCutOfCompressedData) {
  TemporaryFolder folder;
  const std::string text = read_whole_file(tables / "text.jsonl", 1 << 20);
  for (const char* name : {"one.gz", "one.zst"}) {
    const std::string whole = read_whole_file(tables / name, 1 << 20);
    for (std::size_t size = 4; size < whole.size(); size += 7) {
      write_bytes(folder / name, whole.substr(0, size));
      EXPECT_NE(message_of(folder / name).find("the file is cut short, get it again"), std::string::npos)
          << name << " cut after " << size;
    }
  }
}

TEST(TextSource, NamesDamagedData) {
  TemporaryFolder folder;
  std::string bytes = read_whole_file(tables / "one.gz", 1 << 20);
  bytes[bytes.size() / 2] ^= 0x10;
  write_bytes(folder / "x.gz", bytes);
  EXPECT_NE(message_of(folder / "x.gz").find("x.gz: the gzip data are damaged"), std::string::npos)
      << message_of(folder / "x.gz");
  bytes = read_whole_file(tables / "one.gz", 1 << 20) + "more";
  write_bytes(folder / "y.gz", bytes);
  EXPECT_NE(message_of(folder / "y.gz").find("y.gz: the gzip data are damaged"), std::string::npos);
  bytes = read_whole_file(tables / "frames.zst", 1 << 20);
  bytes[bytes.size() - 1] ^= 0x10;  // of the checksum
  write_bytes(folder / "x.zst", bytes);
  EXPECT_NE(message_of(folder / "x.zst").find("x.zst: the zstd data cannot be unpacked"), std::string::npos);
}

TEST(TextSource, ReadsTablesAsPandasDoes) {
  if (!has_plugin()) GTEST_SKIP() << "this build has no Arrow";
  const std::vector<Json> expected = rows_of(read_whole_file(tables / "rows.jsonl", 1 << 20));
  EXPECT_EQ(expected.size(), 9u);
  for (const Json& table : expected) {
    const std::string name = table.at("table");
    for (const std::size_t capacity : {1, 50, 100000}) {
      const std::vector<Json> rows = rows_of(text_of(tables / name, capacity));
      EXPECT_EQ(Json(rows), table.at("rows")) << name;
    }
  }
}

TEST(TextSource, ReadsRowsBehindTheFirstBatchOfATable) {
  if (!has_plugin()) GTEST_SKIP() << "this build has no Arrow";
  for (const std::size_t capacity : {1000, 100000}) {
    const std::vector<Json> rows = rows_of(text_of(tables / "many.parquet", capacity));
    ASSERT_EQ(rows.size(), 10000u);
    for (std::size_t row = 0; row < rows.size(); ++row)
      ASSERT_EQ(rows[row], (Json{{"n", row}, {"word", "w" + std::to_string(row % 7)}})) << row;
  }
}

/// Pages with checksums: damage is an error in one line, and never another text.
TEST(TextSource, NoFlippedBitInACheckedPageGivesOtherRows) {
  if (!has_plugin()) GTEST_SKIP() << "this build has no Arrow";
  TemporaryFolder folder;
  const std::string whole = read_whole_file(tables / "checked.parquet", 1 << 20),
                    rows = text_of(tables / "checked.parquet");
  const std::size_t texts = whole.find("Two dogs run."),
                    footer_bytes = static_cast<unsigned char>(whole[whole.size() - 8]) +
                                   256u * static_cast<unsigned char>(whole[whole.size() - 7]);
  ASSERT_NE(texts, std::string::npos);
  for (std::size_t at = 5; at < whole.size() - 8 - footer_bytes; ++at) {
    std::string damaged = whole;
    damaged[at] ^= 0x04;
    write_bytes(folder / "damaged.parquet", damaged);
    const std::string message = message_of(folder / "damaged.parquet");
    if (message == "no error") {
      EXPECT_EQ(text_of(folder / "damaged.parquet"), rows) << at;
    } else {
      EXPECT_NE(message.find("damaged.parquet: the Parquet table cannot be read: "), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
    const bool is_text = at >= texts && at < texts + 13;
    EXPECT_FALSE(is_text && message == "no error") << at;
  }
}

/// Rows of two columns, in groups that are larger than a batch of the reader, and smaller.
TEST(TextSource, ReadsTheRowsThatThePluginWrites) {
  if (!has_plugin()) GTEST_SKIP() << "this build has no Arrow";
  TemporaryFolder folder;
  const fs::path path = folder / "written.parquet";
  constexpr std::int64_t width = 3;
  const auto value = [](std::size_t column, std::size_t row, std::int64_t i) {
    return static_cast<float>(column * 100000 + row) + static_cast<float>(i) / 4;
  };
  std::array<char, 256> error{};
  const std::array<const char*, 2> names{"mean", "log_var"};
  write_bytes(path, "");
  const int descriptor = ::open(path.c_str(), O_RDWR);
  GausscseParquetWriter* const table =
      parquet_plugin().create(descriptor, names.data(), names.size(), width, error.data(), error.size());
  ASSERT_TRUE(table) << error.data();
  std::size_t rows = 0;
  for (const std::size_t group : {5000, 1, 4096}) {
    std::array<std::vector<float>, 2> columns;
    for (std::size_t row = rows; row < rows + group; ++row)
      for (std::size_t column = 0; column < 2; ++column)
        for (std::int64_t i = 0; i < width; ++i) columns[column].push_back(value(column, row, i));
    const std::array<const float*, 2> values{columns[0].data(), columns[1].data()};
    ASSERT_TRUE(
        parquet_plugin().write(table, values.data(), static_cast<std::int64_t>(group), error.data(), error.size()))
        << error.data();
    rows += group;
  }
  ASSERT_TRUE(parquet_plugin().finish(table, nullptr, nullptr, 0, error.data(), error.size())) << error.data();
  parquet_plugin().discard(table);
  ::close(descriptor);
  const std::vector<Json> read = rows_of(text_of(path));
  ASSERT_EQ(read.size(), rows);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < 2; ++column)
      for (std::int64_t i = 0; i < width; ++i)
        ASSERT_EQ(read[row].at(names[column]).at(static_cast<std::size_t>(i)).get<float>(), value(column, row, i))
            << row;
}

TEST(TextSource, CountsRowsFromOneInMessages) {
  if (!has_plugin()) GTEST_SKIP() << "this build has no Arrow";
  const std::string message = message_of(tables / "invalid.parquet");
  EXPECT_NE(message.find("invalid.parquet: the Parquet table cannot be read: row 5000: a text is not UTF-8"),
            std::string::npos)
      << message;
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
  TemporaryFolder folder;
  const std::string whole = read_whole_file(tables / "pandas.parquet", 1 << 20);
  for (std::size_t size = 16; size < whole.size(); size += 37) {
    write_bytes(folder / "cut.parquet", whole.substr(0, size));
    const std::string message = message_of(folder / "cut.parquet");
    EXPECT_NE(message.find("cut.parquet: the Parquet table cannot be read: "), std::string::npos) << message;
    EXPECT_NE(message.find("python3 -c 'import pandas"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace gausscse
