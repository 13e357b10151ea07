#include "results/embeddings_file.hpp"

#include <H5Cpp.h>

#include "tests/results/read_matrix.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

const std::vector<std::string> gaussian{"mean", "log_var"};

std::vector<float> counted(std::size_t count, float from) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), from);
  return values;
}

/// All rows in one block.
void write_embeddings(const std::filesystem::path& path, std::span<const float> mean, std::span<const float> log_var,
                      std::int64_t sentences, std::int64_t dimension) {
  EmbeddingsWriter writer(path, gaussian, sentences, dimension);
  writer.append({mean, log_var});
  writer.commit();
}

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(EmbeddingsFile, HoldsTheRowsWhateverTheBlocks) {
  const TemporaryFolder folder;
  const std::vector<float> mean = counted(15, 0.5f), log_var = counted(15, -100.0f);
  write_embeddings(folder / "whole.h5", mean, log_var, 5, 3);
  EXPECT_EQ(read_matrix(folder / "whole.h5", "/mean", 5, 3), mean);
  EXPECT_EQ(read_matrix(folder / "whole.h5", "/log_var", 5, 3), log_var);

  EmbeddingsWriter writer(folder / "blocks.h5", gaussian, 5, 3);
  const std::span<const float> means(mean), log_vars(log_var);
  writer.append({means.first(3), log_vars.first(3)});
  writer.append({means.first(0), log_vars.first(0)});
  writer.append({means.subspan(3), log_vars.subspan(3)});
  EXPECT_FALSE(std::filesystem::exists(folder / "blocks.h5"));
  writer.commit();
  EXPECT_EQ(bytes_of(folder / "blocks.h5"), bytes_of(folder / "whole.h5"));
  EXPECT_EQ(files_in(folder.path()), 2u);
}

/// As numpy's format 1.0 has it: magic, version, length of a Python dict that is padded to a multiple of 64, values.
TEST(EmbeddingsFile, OfTheSuffixNpyIsOneOfNumpy) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1.0f, -2.5f, 0.5f, 3.0f, 4.0f, 1e-3f};
  EmbeddingsWriter writer(folder / "out.npy", {"embedding"}, 2, 3);
  writer.append({std::span(values).first(3)});
  writer.append({std::span(values).subspan(3)});
  writer.commit();
  const std::string bytes = bytes_of(folder / "out.npy");
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  const std::string header = std::string("\x93NUMPY\x01\x00", 8) + std::string("\xf6\x00", 2) + text;
  ASSERT_EQ(bytes.size(), 256 + 6 * sizeof(float));
  EXPECT_EQ(bytes.substr(0, header.size()), header);
  EXPECT_EQ(bytes.find_first_not_of(" \t", header.size()), 255u) << "only padding up to the newline";
  EXPECT_EQ(bytes[255], '\n');
  EXPECT_EQ(std::memcmp(bytes.data() + 256, values.data(), 6 * sizeof(float)), 0);
}

TEST(EmbeddingsFile, OfTheSuffixSafetensorsHasATensorOfEachDataset) {
  const TemporaryFolder folder;
  const std::vector<float> mean = counted(6, 0.5f), log_var = counted(6, -9.0f);
  write_embeddings(folder / "out.safetensors", mean, log_var, 3, 2);
  const std::string bytes = bytes_of(folder / "out.safetensors");
  std::string header =
      R"({"__metadata__":{"xxh3_128":"d41"},"mean":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]},)"
      R"("log_var":{"dtype":"F32","shape":[3,2],"data_offsets":[24,48]}})";
  const EmbeddingsReader reader(folder / "out.safetensors");
  header.replace(header.find("d41"), 3, bytes.substr(8 + header.find("d41"), 32));
  while (header.size() % 8 != 0) header += ' ';
  ASSERT_EQ(bytes.size(), 8 + header.size() + 48);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length, header.size());
  EXPECT_EQ(bytes.substr(8, header.size()), header);
  EXPECT_EQ(std::memcmp(bytes.data() + 8 + header.size(), mean.data(), 24), 0);
  EXPECT_EQ(std::memcmp(bytes.data() + 8 + header.size() + 24, log_var.data(), 24), 0);
}

TEST(EmbeddingsFile, OfAnotherSuffixIsRefused) {
  const TemporaryFolder folder;
  for (const char* name : {"out.csv", "out.txt", "out.npzz", "out.h5.gz"}) {
    const auto make = [&] { EmbeddingsWriter(folder / name, {"embedding"}, 1, 1); };
    EXPECT_THROW(make(), InputError) << name;
  }
  const auto two_in_one = [&] { EmbeddingsWriter(folder / "out.npy", gaussian, 1, 1); };
  EXPECT_THROW(two_in_one(), InputError);
  EXPECT_EQ(files_in(folder.path()), 0u);
  for (const char* name : {"out", "out.h5", "out.hdf5"}) {
    write_embeddings(folder / name, std::vector{1.0f}, std::vector{2.0f}, 1, 1);
    EXPECT_EQ(bytes_of(folder / name).substr(1, 3), "HDF") << name;
  }
}

TEST(EmbeddingsFile, HoldsMatricesOfAnyShape) {
  const TemporaryFolder folder;
  for (const auto& [rows, columns] : {std::pair{0, 3}, {3, 0}, {1, 1}, {1, 511}, {2, 512}, {1, 513}, {3000, 7}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << columns);
    const auto mean = counted(static_cast<std::size_t>(rows * columns), 1.0f);
    const auto log_var = counted(static_cast<std::size_t>(rows * columns), -9.0f);
    write_embeddings(folder / "out.h5", mean, log_var, rows, columns);
    EXPECT_EQ(read_matrix(folder / "out.h5", "/mean", static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)), mean);
    EXPECT_EQ(read_matrix(folder / "out.h5", "/log_var", static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)),
              log_var);
  }
}

TEST(EmbeddingsFile, HoldsAsManyDatasetsAsAreNamed) {
  const TemporaryFolder folder;
  const std::vector<float> values = counted(15, 0.5f), others = counted(15, 40), more = counted(15, 80);
  const std::span<const float> rows(values);
  EmbeddingsWriter one(folder / "one.h5", {"embedding"}, 5, 3);
  one.append({rows.first(6)});
  one.append({rows.subspan(6)});
  one.commit();
  EXPECT_EQ(read_matrix(folder / "one.h5", "/embedding", 5, 3), values);
  EmbeddingsWriter three(folder / "three.h5", {"a", "b", "c"}, 5, 3);
  EXPECT_THROW(three.append({values, others}), std::logic_error);
  three.append({values, others, more});
  three.commit();
  EXPECT_EQ(read_matrix(folder / "three.h5", "/a", 5, 3), values);
  EXPECT_EQ(read_matrix(folder / "three.h5", "/b", 5, 3), others);
  EXPECT_EQ(read_matrix(folder / "three.h5", "/c", 5, 3), more);
}

TEST(EmbeddingsFile, TakesNoRoomForRowsToCome) {
  const TemporaryFolder folder;
  EmbeddingsWriter writer(folder / "out.h5", gaussian, 10'000'000, 768);  // 61 GB
  writer.append({counted(768, 0), counted(768, 0)});
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(EmbeddingsFile, UncommittedLeavesNothing) {
  const TemporaryFolder folder;
  {
    EmbeddingsWriter writer(folder / "out.h5", gaussian, 2, 2);
    writer.append({counted(2, 0), counted(2, 0)});
    EXPECT_EQ(files_in(folder.path()), 1u);
    EXPECT_THROW(writer.commit(), std::logic_error);                                // a row is missing
    EXPECT_THROW(writer.append({counted(4, 0), counted(4, 0)}), std::logic_error);  // a row too many
    EXPECT_THROW(writer.append({counted(2, 0), counted(1, 0)}), std::logic_error);
  }
  EXPECT_EQ(files_in(folder.path()), 0u);
  EXPECT_THROW(EmbeddingsWriter(folder / "missing" / "out.h5", gaussian, 2, 2), SystemError);
}

TEST(EmbeddingsFile, AFullDiskLeavesTheOldFileAndNothingElse) {
  const TemporaryFolder folder;
  const std::vector<float> old_values = counted(4, 0);
  write_embeddings(folder / "out.h5", old_values, old_values, 2, 2);
  const std::string old_bytes = bytes_of(folder / "out.h5");
  const std::vector<float> values = counted(100'000, 0);
  for (const rlim_t limit : {rlim_t{0}, rlim_t{1000}, rlim_t{300'000}, rlim_t{500'000}, rlim_t{800'000}}) {
    {
      const FileSizeLimit full(limit);
      EXPECT_THROW(write_embeddings(folder / "out.h5", values, values, 1000, 100), SystemError) << limit;
    }
    EXPECT_EQ(bytes_of(folder / "out.h5"), old_bytes) << limit;
    EXPECT_EQ(files_in(folder.path()), 1u) << limit;
  }
  write_embeddings(folder / "out.h5", values, values, 1000, 100);
  EXPECT_EQ(read_matrix(folder / "out.h5", "/log_var", 1000, 100), values);
}

/// Rows and commit; before that HDF5 makes calls, too, whose faults are its own.
TEST(EmbeddingsFile, IsTheOldOrTheNewOneWhateverCallFails) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "e.h5";
  const std::vector<float> old_rows = counted(6, 0), new_rows = counted(6, 100);
  bool fired = true;
  int kept = 0, kept_as_written = 0, untold = 0;
  for (std::size_t k = 1; fired; ++k) {
    SCOPED_TRACE(k);
    write_embeddings(path, old_rows, old_rows, 2, 3);
    std::string message;
    {
      EmbeddingsWriter writer(path, gaussian, 2, 3);
      FaultInjection fault(k, Fault::io_error);
      try {
        writer.append({new_rows, new_rows});
        writer.commit();
      } catch (const WriteError& error) {
        message = error.what();
      }
      fault.stop();
      fired = fault.fired();
    }
    // The last flush, of the folder, comes when the file is in its place; that it is closed then changes nothing.
    const bool may_be_undone = message.ends_with("; " + path.string() + " is written, but a power loss may undo it");
    const bool is_written = message.empty() || may_be_undone;
    kept += is_written ? 0 : 1;
    kept_as_written += may_be_undone ? 1 : 0;
    untold += fired && message.empty() ? 1 : 0;
    EXPECT_EQ(read_matrix(path, "mean", 2, 3), is_written ? new_rows : old_rows);
    EXPECT_EQ(files_in(folder.path()), 1u);
  }
  EXPECT_EQ(kept, 8)
      << "two writes of rows and one of their checksum, two closes, the flush, the open of the folder and the rename";
  EXPECT_EQ(kept_as_written, 1);
  EXPECT_EQ(untold, 1);
}

}  // namespace
}  // namespace gausscse
