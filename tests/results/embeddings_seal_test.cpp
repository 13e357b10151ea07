#include "results/embeddings_seal.hpp"

#include "base/content_hash.hpp"
#include "results/embeddings_file.hpp"
#include "results/matrix_file.hpp"
#include "tests/results/zip_archive.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Values [4, 3] each, and the rows of both.
const std::vector<float> four_means{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12.5f};
const std::vector<float> four_log_vars{-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12.5f};
const std::map<std::string, std::string> texts_of_four{{"model", "m"}, {"empty", ""}, {"similarity", "joint"}};

std::string bytes_of_four(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// Two blocks of rows; .npy has the means only.
void write_four(const std::filesystem::path& path) {
  const bool is_npy = path.extension() == ".npy";
  EmbeddingsWriter writer(path,
                          is_npy ? std::vector<std::string>{"embedding"} : std::vector<std::string>{"mean", "log_var"},
                          4, 3, {.texts = texts_of_four, .counts = {{"cut_sentences", 0}}});
  const std::span<const float> means(four_means), log_vars(four_log_vars);
  for (const auto& [first, count] : {std::pair{0U, 3U}, {3U, 9U}}) {
    std::vector<std::span<const float>> rows{means.subspan(first, count)};
    if (!is_npy) rows.push_back(log_vars.subspan(first, count));
    writer.append(rows);
  }
  writer.set_count("cut_sentences", 17);
  writer.commit();
}

/// Opens a file; returns its refusal, else "read".
std::string opened(const std::filesystem::path& path) {
  try {
    const EmbeddingsReader file(path);
    return "read";
  } catch (const InputError& error) {
    return error.what();
  }
}

/// The checksum by its definition: a JSON text, keys in the order of the alphabet.
TEST(EmbeddingsSeal, CoversNamesShapeValuesAndAttributes) {
  const std::string matrices =
      concat(R"("matrices":[["mean",4,3,")", content_hash_of(bytes_of_four(four_means)), R"("],["log_var",4,3,")",
             content_hash_of(bytes_of_four(four_log_vars)), R"("]]})");
  const std::string expected = content_hash_of(
      R"({"attributes":{"cut_sentences":"17","empty":"","model":"m","similarity":"joint"},)" + matrices);
  const TemporaryFolder folder;
  for (const char* name : {"a.safetensors", "a.h5", "a.npz"}) {
    SCOPED_TRACE(name);
    write_four(folder / name);
    EXPECT_NE(read_whole_file(folder / name, 1 << 20).find(expected), std::string::npos);
    const EmbeddingsReader file(folder / name);
    EXPECT_TRUE(file.is_checked());
    EXPECT_EQ(file.note(), "");
    EXPECT_FALSE(file.attributes().contains(embeddings_seal));
    EXPECT_EQ(file.attributes().at("cut_sentences"), "17");
  }
  EmbeddingsSeal seal({"mean", "log_var"}, 4, 3);
  seal.add(0, bytes_of_four(four_means));
  seal.add(1, bytes_of_four(four_log_vars));
  std::map<std::string, std::string> attributes = texts_of_four;
  attributes["cut_sentences"] = "17";
  attributes[embeddings_seal] = "not counted";
  EXPECT_EQ(seal.digits(attributes), expected);
}

/// Bits of numpy's padding: a tab is 1.
TEST(EmbeddingsSeal, IsInThePaddingOfNumpysHeader) {
  const TemporaryFolder folder;
  write_four(folder / "a.npy");
  const std::string expected = content_hash_of(concat(R"({"attributes":{},"matrices":[["embedding",4,3,")",
                                                      content_hash_of(bytes_of_four(four_means)), R"("]]})"));
  const std::string bytes = read_whole_file(folder / "a.npy", 1 << 20);
  const std::size_t padding = bytes.find('}') + 1;
  std::string digits;
  for (std::size_t digit = 0; digit < 32; ++digit) {
    int value = 0;
    for (std::size_t bit = 0; bit < 4; ++bit) value = 2 * value + (bytes[padding + 4 * digit + bit] == '\t' ? 1 : 0);
    digits += "0123456789abcdef"[value];
  }
  EXPECT_EQ(digits, expected);
  EXPECT_TRUE(EmbeddingsReader(folder / "a.npy").is_checked());
}

/// Bits of each byte, by strides that meet all eight. A file with a flipped bit is refused, or has the same rows, of
/// the same model if it names one.
TEST(EmbeddingsSeal, NoticesAnyChangedBit) {
  const TemporaryFolder folder;
  // HDF5's are read by a process each.
  for (const auto& [name, stride] :
       {std::pair{"a.h5", 8U * 13 + 1}, {"a.safetensors", 3U}, {"a.npz", 3U}, {"a.npy", 3U}}) {
    SCOPED_TRACE(name);
    write_four(folder / name);
    const EmbeddingsReader whole(folder / name);
    const std::vector<float> rows = whole.read(0, 4);
    const std::string bytes = read_whole_file(folder / name, 1 << 20);
    int refused = 0;
    for (std::size_t i = 0; i < 8 * bytes.size(); i += stride) {
      std::string changed = bytes;
      changed[i / 8] = static_cast<char>(changed[i / 8] ^ (1 << i % 8));
      // Some file systems flush a file that is made shorter.
      std::filesystem::remove(folder / "changed");
      write_bytes(folder / "changed", changed);
      try {
        const EmbeddingsReader file(folder / "changed");
        ASSERT_EQ(file.read(0, file.rows()), rows) << "bit " << i;
        ASSERT_EQ(file.datasets(), whole.datasets()) << "bit " << i;
        for (const auto& [key, text] : whole.attributes())
          if (const auto found = file.attributes().find(key); file.is_checked() && found != file.attributes().end()) {
            ASSERT_EQ(found->second, text) << "bit " << i;
          }
      } catch (const InputError&) {
        ++refused;
      }
    }
    // At least those of the values are.
    EXPECT_GE(refused, static_cast<int>(8 * rows.size() * sizeof(float) / stride)) << name;
  }
}

TEST(EmbeddingsSeal, NamesTheDamagedFileAndTheRemedy) {
  const TemporaryFolder folder;
  write_four(folder / "a.h5");
  std::string bytes = read_whole_file(folder / "a.h5", 1 << 20);
  bytes[bytes.find(bytes_of_four(four_log_vars)) + 5] ^= 1;
  write_bytes(folder / "a.h5", bytes);
  const std::string message = opened(folder / "a.h5");
  EXPECT_TRUE(message.starts_with((folder / "a.h5").string() + ": the file is damaged")) << message;
  EXPECT_NE(message.find("\"xxh3_128\": get it again, or encode it again"), std::string::npos) << message;
}

/// Files of another program, and a matrix of similarities.
TEST(EmbeddingsSeal, IsMissedInANote) {
  const TemporaryFolder folder;
  const std::string npy = std::string("\x93NUMPY\x01\x00", 8) + std::string("\x3e\x00", 2) +
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 3), }  \n" + bytes_of_four(four_means);
  write_bytes(folder / "other.npy", npy);
  MatrixWriter matrix(folder / "matrix.npy", "similarity", 4, 3, {});
  matrix.write(0, 0, 4, 3, four_means);
  matrix.commit();
  for (const char* name : {"other.npy", "matrix.npy"}) {
    const EmbeddingsReader file(folder / name);
    EXPECT_EQ(file.read(0, 4), four_means) << name;
    EXPECT_FALSE(file.is_checked()) << name;
    EXPECT_TRUE(file.note().starts_with((folder / name).string() + ": unchecked: ")) << file.note();
  }
}

/// An archive of numpy.savez has a CRC-32 for each member.
TEST(EmbeddingsSeal, OfAnArchiveOfNumpyIsItsChecksums) {
  const TemporaryFolder folder;
  const std::string header = std::string("\x93NUMPY\x01\x00", 8) + std::string("\x3c\x00", 2) +
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 3), }\n";
  const PlainMember mean{"mean.npy", header + bytes_of_four(four_means)},
      log_var{"log_var.npy", header + bytes_of_four(four_log_vars)}, attributes{"attributes.json", R"({"model":"m"})"};
  const std::string whole = zip_of_members({mean, attributes, log_var});
  write_bytes(folder / "a.npz", whole);
  const EmbeddingsReader file(folder / "a.npz");
  EXPECT_TRUE(file.is_checked());
  EXPECT_EQ(file.attributes().at("model"), "m");
  for (const std::string& part : {bytes_of_four(four_means), bytes_of_four(four_log_vars), attributes.content}) {
    std::string changed = whole;
    changed[changed.find(part) + part.size() - 1] ^= 4;
    write_bytes(folder / "changed.npz", changed);
    EXPECT_NE(opened(folder / "changed.npz").find("differs from its CRC-32"), std::string::npos)
        << opened(folder / "changed.npz");
  }
  // A member of several pieces of a MiB.
  std::string longer = header;
  longer.replace(longer.find("4, 3"), 4, "99999, 3");
  longer[8] += 4;
  std::vector<float> values(299997);
  std::iota(values.begin(), values.end(), 1.5f);
  write_bytes(folder / "long.npz", zip_of_members({{"embedding.npy", longer + bytes_of_four(values)}}));
  EXPECT_EQ(opened(folder / "long.npz"), "read");
  // numpy takes the last of two members of a name, other programs the first.
  for (const PlainMember& twice : {mean, attributes}) {
    write_bytes(folder / "twice.npz", zip_of_members({mean, attributes, log_var, twice}));
    EXPECT_NE(opened(folder / "twice.npz").find(concat("has two members \"", twice.name, "\"")), std::string::npos)
        << opened(folder / "twice.npz");
  }
  // Attributes of another program are no texts of this one.
  PlainMember array = mean;
  array.name = "attributes.npy";
  write_bytes(folder / "array.npz", zip_of_members({mean, log_var, array}));
  EXPECT_TRUE(EmbeddingsReader(folder / "array.npz").attributes().empty());
}

}  // namespace
}  // namespace gausscse
