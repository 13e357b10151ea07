#include "results/matrix_file.hpp"

#include "results/hdf5_values.hpp"
#include "tests/results/read_matrix.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

/// Element [i, j] of the matrix of these tests.
float element_of_test(std::int64_t row, std::int64_t column) {
  return static_cast<float>(100 * row + column);
}

/// Writes [5, 7] in tiles of at most 2 x 3, the last one first.
void write_tiles_backwards(const fs::path& path) {
  MatrixWriter writer(path, "similarity", 5, 7, {.texts = {{"model", "runs/\xff"}}, .counts = {}});
  for (std::int64_t row = 4; row >= 0; row -= 2)
    for (std::int64_t column = 6; column >= 0; column -= 3) {
      const std::int64_t rows = std::min<std::int64_t>(2, 5 - row), columns = std::min<std::int64_t>(3, 7 - column);
      std::vector<float> tile;
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) tile.push_back(element_of_test(row + i, column + j));
      writer.write(row, column, rows, columns, tile);
    }
  EXPECT_FALSE(fs::exists(path));
  writer.commit();
}

std::vector<float> matrix_of_test() {
  std::vector<float> values;
  for (std::int64_t i = 0; i < 5; ++i)
    for (std::int64_t j = 0; j < 7; ++j) values.push_back(element_of_test(i, j));
  return values;
}

TEST(MatrixFile, HoldsTilesInAnyOrder) {
  const TemporaryFolder folder;
  write_tiles_backwards(folder / "m.h5");
  EXPECT_EQ(read_matrix(folder / "m.h5", "/similarity", 5, 7), matrix_of_test());
  const H5::H5File file((folder / "m.h5").string(), H5F_ACC_RDONLY);
  EXPECT_EQ(read_text_attribute(file, "model"), "runs/\xEF\xBF\xBD");

  write_tiles_backwards(folder / "m.npy");
  const std::string bytes = read_whole_file(folder / "m.npy", 1 << 12);
  EXPECT_TRUE(bytes.starts_with(std::string_view("\x93NUMPY\x01\x00", 8)));
  EXPECT_NE(bytes.find("{'descr': '<f4', 'fortran_order': False, 'shape': (5, 7), }"), std::string::npos);
  std::vector<float> values(35);
  ASSERT_EQ(bytes.size(), 128 + values.size() * sizeof(float));
  std::memcpy(values.data(), bytes.data() + 128, values.size() * sizeof(float));
  EXPECT_EQ(values, matrix_of_test());
}

TEST(MatrixFile, HasTheFormatOfItsSuffix) {
  for (const char* hdf5 : {"m.h5", "m.hdf5", "m"}) EXPECT_EQ(matrix_format(hdf5), EmbeddingsFormat::hdf5) << hdf5;
  EXPECT_EQ(matrix_format("m.npy"), EmbeddingsFormat::npy);
  EXPECT_THROW(matrix_format("m.npz"), InputError);
}

TEST(MatrixFile, LeavesNothingUnlessItIsWhole) {
  const TemporaryFolder folder;
  {
    MatrixWriter writer(folder / "m.npy", "similarity", 2, 2, {});
    writer.write(0, 0, 1, 2, std::vector<float>{1, 2});
    EXPECT_THROW(writer.commit(), std::logic_error);
    EXPECT_THROW(writer.write(1, 1, 1, 2, std::vector<float>{1, 2}), std::logic_error);
  }
  {
    const FileSizeLimit limit(1 << 16);
    EXPECT_THROW(MatrixWriter(folder / "m.h5", "similarity", 200, 200, {}), WriteError);
  }
  EXPECT_THROW(MatrixWriter(folder / "m.safetensors", "similarity", 2, 2, {}), InputError);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 0);
}

}  // namespace
}  // namespace gausscse
