#include "model/kernels/cuda/embedding.cuh"

#include "tests/model/kernels/cuda/kernel_test.hpp"

namespace gausscse {
namespace {

template <typename T>
void expect_embedded() {
  const std::int64_t words = 11, longest = 7;
  for (const std::int64_t rows : {0, 1, 5, 8, 67})
    for (const std::int64_t hidden : {1, 31, 128, 130}) {
      SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(hidden));
      std::vector<std::uint32_t> ids, positions;
      for (std::int64_t row = 0; row < rows; ++row) {
        ids.push_back(static_cast<std::uint32_t>((5 * row + 3) % words));
        positions.push_back(static_cast<std::uint32_t>((3 * row + 1) % longest));
      }
      for (const auto& [has_type, has_position] :
           {std::pair(true, true), {false, true}, {true, false}, {false, false}}) {
        ArrayList arrays;
        arrays.value("word", words * hidden).written("out", rows * hidden);
        if (has_position) arrays.value("position", longest * hidden, 10);
        if (has_type) arrays.value("type", hidden, 100);
        expect_same<T, T, double, double>(arrays, kernels::kernel_table<double>().embed, kernels::cuda::embed<T>,
                                          [&](auto& a, const auto& kernel) {
                                            kernel(a.value("word"), a.value("position"), a.value("type"), ids.data(),
                                                   positions.data(), rows, hidden, a.value("out"));
                                          });
      }
    }
}

TEST(CudaEmbedding, IsThatOfTheCpuInFloat64) {
  expect_embedded<double>();
  expect_embedded<float>();
}

/// Groups of these sizes that cut up the rows of a matrix, none of which follow each other; every second row of a table
/// is a target, in falling order.
class Groups {
 public:
  explicit Groups(const std::vector<std::int64_t>& sizes) {
    for (const std::int64_t size : sizes) offsets_.push_back(offsets_.back() + size);
    rows_.resize(static_cast<std::size_t>(offsets_.back()));
    // Group by group, each takes rows that are spread over the matrix and rise.
    std::vector<std::int64_t> left = sizes;
    for (std::int64_t row = 0, group = 0; row < rows(); ++row) {
      do group = (group + 1) % count();
      while (left[static_cast<std::size_t>(group)] == 0);
      const auto g = static_cast<std::size_t>(group);
      rows_[static_cast<std::size_t>(offsets_[g] + sizes[g] - left[g])] = row;
      --left[g];
    }
    for (std::int64_t group = 0; group < count(); ++group) targets_.push_back(2 * (count() - group));
  }

  std::int64_t rows() const { return offsets_.back(); }
  std::int64_t count() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  std::int64_t rows_of_table() const { return 2 * count() + 1; }
  kernels::RowGroups groups() const { return {rows_.data(), offsets_.data(), targets_.data(), count()}; }

 private:
  std::vector<std::int64_t> rows_, offsets_{0}, targets_;
};

template <typename T>
void expect_added(const std::vector<std::int64_t>& sizes, std::int64_t width) {
  SCOPED_TRACE(std::to_string(sizes.size()) + " groups, width " + std::to_string(width));
  const Groups groups(sizes);
  const OneShard shard(groups.rows());
  expect_same<T, T, double, double>(
      ArrayList().value("x", groups.rows() * width).written("table", groups.rows_of_table() * width),
      kernels::kernel_table<double>().add_grouped_rows, kernels::cuda::add_grouped_rows<T>,
      [&](auto& arrays, const auto& kernel) {
        kernel(arrays.value("x"), groups.groups(), shard.rows(), width, arrays.value("table"));
      });
}

const std::vector<std::int64_t> sizes_of_groups{1, 2, 33, 300, 32, 1, 64, 5};

TEST(CudaAddGroupedRows, IsThatOfTheCpuInFloat64) {
  for (const std::int64_t width : {1, 31, 64, 100, 130}) expect_added<double>(sizes_of_groups, width);
  expect_added<double>({}, 5);
  expect_added<double>({1}, 3);
}

TEST(CudaAddGroupedRows, InFloat32IsNearFloat64) {
  for (const std::int64_t width : {1, 31, 100, 130}) expect_added<float>(sizes_of_groups, width);
}

TEST(CudaAddGroupedRows, HasSeveralGroupsInABlockWhereThereAreMany) {
  // A block has groups that are as many numbers apart as there are blocks. Some blocks have several large ones, some
  // large and small ones, and the last have fewer.
  std::vector<std::int64_t> sizes(2 * 2048 + 301, 1);
  const std::size_t blocks = (sizes.size() + 2) / 3;
  for (std::size_t group = 0; group < sizes.size(); ++group)
    if (group % blocks % 61 == 0) sizes[group] = 30 + static_cast<std::int64_t>(group % 7);
  ASSERT_EQ(kernels::cuda::groups_of_block(static_cast<std::int64_t>(sizes.size()), 1), 3);
  expect_added<double>(sizes, 3);
}

TEST(CudaAddGroupedRows, HasNoMoreGroupsInABlockThanWarps) {
  EXPECT_EQ(kernels::cuda::groups_of_block(1, 1), 1);
  EXPECT_EQ(kernels::cuda::groups_of_block(40, 12), 1);
  EXPECT_EQ(kernels::cuda::groups_of_block(1000000, 16), kernels::cuda::group_warps);
}

}  // namespace
}  // namespace gausscse
