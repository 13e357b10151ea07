#include <nlohmann/json.hpp>

#include "data/source/text_source.hpp"
#include "results/embeddings_file.hpp"
#include "tests/results/zip_archive.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// [5, 3] each.
const std::vector<float> five_means{1.0f, -2.5f, 0.1f, 4.0f, 5.5f, 6.0f, 7, 8, 9, 10, 11, 12, 13, 14, 1e-20f};
const std::vector<float> five_log_vars{-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -1e20f};
const EmbeddingsAttributes some_attributes{
    .texts = {{"model", "runs/\"a\"/ä\n"}, {"similarity", "joint"}, {"empty", ""}},
    .counts = {{"cut_sentences", 0}, {"another", -1}}};
const std::map<std::string, std::string> final_attributes{{"model", "runs/\"a\"/ä\n"},
                                                          {"similarity", "joint"},
                                                          {"empty", ""},
                                                          {"cut_sentences", "1234567890123"},
                                                          {"another", "-1"}};

std::map<std::string, std::string> without_seal(std::map<std::string, std::string> attributes) {
  EXPECT_EQ(attributes["xxh3_128"].size(), 32u);
  attributes.erase("xxh3_128");
  return attributes;
}

/// In two blocks.
void write_five(const std::filesystem::path& path) {
  EmbeddingsWriter writer(path, {"mean", "log_var"}, 5, 3, some_attributes);
  const std::span<const float> means(five_means), log_vars(five_log_vars);
  writer.append({means.first(6), log_vars.first(6)});
  writer.append({means.subspan(6), log_vars.subspan(6)});
  writer.set_count("cut_sentences", 1234567890123);
  writer.commit();
}

std::uint64_t number_at(const std::string& bytes, std::size_t place, std::size_t length) {
  std::uint64_t number = 0;
  for (std::size_t i = length; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes.at(place + i));
  return number;
}

struct ZipMember {
  std::string name, bytes;
};

/// Reads an archive of stored members by PKWARE's description of zip64, from its end on.
std::vector<ZipMember> members_of(const std::string& zip) {
  std::vector<ZipMember> members;
  const std::size_t end = zip.size() - 22, locator = end - 20;
  EXPECT_EQ(zip.substr(end, 4), "PK\x05\x06");
  EXPECT_EQ(zip.substr(locator, 4), "PK\x06\x07");
  const std::size_t end64 = number_at(zip, locator + 8, 8);
  EXPECT_EQ(end64, locator - 56);
  EXPECT_EQ(zip.substr(end64, 4), "PK\x06\x06");
  const std::size_t count = number_at(zip, end64 + 32, 8);
  std::size_t entry = number_at(zip, end64 + 48, 8);
  EXPECT_EQ(entry + number_at(zip, end64 + 40, 8), end64);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(zip.substr(entry, 4), "PK\x01\x02");
    const std::size_t name_bytes = number_at(zip, entry + 28, 2), extra = entry + 46 + name_bytes;
    const std::string name = zip.substr(entry + 46, name_bytes);
    EXPECT_EQ(number_at(zip, extra, 4), 1u | 24u << 16);
    const std::size_t size = number_at(zip, extra + 4, 8), header = number_at(zip, extra + 20, 8);
    EXPECT_EQ(number_at(zip, extra + 12, 8), size);
    EXPECT_EQ(zip.substr(header, 4), "PK\x03\x04");
    EXPECT_EQ(zip.substr(header + 30, name_bytes), name);
    EXPECT_EQ(number_at(zip, header + 30 + name_bytes + 4, 8), size);
    const std::size_t begin = header + 30 + name_bytes + number_at(zip, header + 28, 2);
    members.push_back({name, zip.substr(begin, size)});
    const std::uint32_t checksum = zip_checksum(members.back().bytes);
    EXPECT_EQ(number_at(zip, header + 14, 4), checksum) << name;
    EXPECT_EQ(number_at(zip, entry + 16, 4), checksum) << name;
    entry += 46 + name_bytes + number_at(zip, entry + 30, 2);
  }
  EXPECT_EQ(entry, end64);
  return members;
}

std::vector<float> floats_at_end(const std::string& bytes, std::size_t count) {
  std::vector<float> values(count);
  std::memcpy(values.data(), bytes.data() + bytes.size() - count * sizeof(float), count * sizeof(float));
  return values;
}

TEST(EmbeddingsFormats, AnNpzIsAnArchiveOfArraysAndAttributes) {
  const TemporaryFolder folder;
  write_five(folder / "a.npz");
  const std::vector<ZipMember> members = members_of(read_whole_file(folder / "a.npz", 1 << 20));
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[0].name, "mean.npy");
  EXPECT_EQ(members[1].name, "log_var.npy");
  EXPECT_EQ(members[2].name, "attributes.npy");
  for (const int i : {0, 1}) {
    EXPECT_EQ(members[static_cast<std::size_t>(i)].bytes.size(), 128 + 15 * sizeof(float));
    EXPECT_NE(members[static_cast<std::size_t>(i)].bytes.find("'shape': (5, 3), }"), std::string::npos);
  }
  EXPECT_EQ(floats_at_end(members[0].bytes, 15), five_means);
  EXPECT_EQ(floats_at_end(members[1].bytes, 15), five_log_vars);
  const std::string attributes = members[2].bytes.substr(128);
  EXPECT_EQ(members[2].bytes.substr(10, 118).find(
                concat("{'descr': '|u1', 'fortran_order': False, 'shape': (", attributes.size(), ",), }")),
            0u);
  EXPECT_EQ(without_seal(nlohmann::json::parse(attributes).get<std::map<std::string, std::string>>()),
            final_attributes);

  EmbeddingsWriter empty(folder / "empty.npz", {"embedding"}, 0, 3);
  empty.commit();
  const std::vector<ZipMember> of_empty = members_of(read_whole_file(folder / "empty.npz", 1 << 20));
  ASSERT_EQ(of_empty.size(), 2u);
  EXPECT_NE(of_empty[0].bytes.find("'shape': (0, 3), }"), std::string::npos);
}

TEST(EmbeddingsFormats, AttributesAreReadBack) {
  const TemporaryFolder folder;
  for (const char* name : {"a.h5", "a.safetensors", "a.npz"}) {
    SCOPED_TRACE(name);
    write_five(folder / name);
    const EmbeddingsReader file(folder / name);
    EXPECT_EQ(file.attributes(), final_attributes);
    const std::vector<float> last = file.read(4, 1);
    EXPECT_EQ(last, (std::vector<float>{13, 14, 1e-20f, -13, -14, -1e20f}));
  }
}

/// A path may have any bytes; JSON and HDF5's readers take UTF-8.
TEST(EmbeddingsFormats, AttributesAreUtf8) {
  const TemporaryFolder folder;
  for (const char* name : {"a.h5", "a.safetensors"}) {
    EmbeddingsWriter writer(folder / name, {"embedding"}, 0, 1,
                            {.texts = {{"model", std::string("a\xff\0b", 4)}}, .counts = {}});
    writer.commit();
    EXPECT_EQ(EmbeddingsReader(folder / name).attributes().at("model"),
              "a\xef\xbf\xbd"
              "b")
        << name;
  }
}

TEST(EmbeddingsFormats, ManyLongAttributesFitIn) {
  const TemporaryFolder folder;
  EmbeddingsAttributes attributes;
  for (int i = 0; i < 20; ++i) attributes.texts[concat("text ", i)] = std::string(4000, static_cast<char>('a' + i));
  for (int i = 0; i < 20; ++i) attributes.counts[concat("count ", i)] = i;
  EmbeddingsWriter writer(folder / "a.h5", {"mean", "log_var"}, 5, 3, attributes);
  writer.append({five_means, five_log_vars});
  for (int i = 0; i < 20; ++i) writer.set_count(concat("count ", i), 100 + i);
  writer.commit();
  const EmbeddingsReader file(folder / "a.h5");
  EXPECT_EQ(file.attributes().size(), 40u);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(file.attributes().at(concat("text ", i)), attributes.texts[concat("text ", i)]);
    EXPECT_EQ(file.attributes().at(concat("count ", i)), std::to_string(100 + i));
  }
  EXPECT_EQ(file.read(4, 1), (std::vector<float>{13, 14, 1e-20f, -13, -14, -1e20f}));
}

TEST(EmbeddingsFormats, AParquetTableHasAListOfEachRow) {
  const TemporaryFolder folder;
  if (!GAUSSCSE_HAS_PARQUET) GTEST_SKIP() << "this build has no Arrow";
  write_five(folder / "a.parquet");
  const std::string bytes = read_whole_file(folder / "a.parquet", 1 << 20);
  for (const auto& [key, value] : final_attributes) {
    EXPECT_NE(bytes.find(key), std::string::npos) << key;
    EXPECT_NE(bytes.find(value), std::string::npos) << key;
  }
  TextSource rows(folder / "a.parquet");
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t count = rows.read(buffer.data(), buffer.size())) text.append(buffer.data(), count);
  std::istringstream lines(text);
  std::vector<float> means, log_vars;
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json row = nlohmann::json::parse(line);
    ASSERT_EQ(row.size(), 2u);
    for (const float value : row.at("mean").get<std::vector<float>>()) means.push_back(value);
    for (const float value : row.at("log_var").get<std::vector<float>>()) log_vars.push_back(value);
  }
  EXPECT_EQ(means, five_means);
  EXPECT_EQ(log_vars, five_log_vars);
}

TEST(EmbeddingsFormats, AFullDiskLeavesTheOldFileAndNothingElse) {
  const TemporaryFolder folder;
  const std::vector<float> values(100'000, 1.5f);
  for (const char* name : {"a.npz", "a.safetensors", "a.parquet"}) {
    if (name == std::string("a.parquet") && !GAUSSCSE_HAS_PARQUET) continue;
    write_five(folder / name);
    const std::string old_bytes = read_whole_file(folder / name, 1 << 20);
    for (const rlim_t limit : {rlim_t{0}, rlim_t{1000}, rlim_t{300'000}, rlim_t{799'000}}) {
      {
        const FileSizeLimit full(limit);
        const auto write = [&] {
          EmbeddingsWriter writer(folder / name, {"mean", "log_var"}, 1000, 100, some_attributes);
          writer.append({values, values});
          writer.commit();
        };
        EXPECT_THROW(write(), WriteError) << name << ", " << limit;
      }
      EXPECT_EQ(read_whole_file(folder / name, 1 << 20), old_bytes) << name << ", " << limit;
    }
    std::filesystem::remove(folder / name);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << name;
  }
}

}  // namespace
}  // namespace gausscse
