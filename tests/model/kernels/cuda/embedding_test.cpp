#include "model/kernels/cuda/embedding.cuh"

#include "tests/model/kernels/cuda/kernel_test.hpp"

namespace gausscse {
namespace {

using namespace testing_support;

/// The GPU's kernel in T against the CPU's in float64.
template <typename T>
void expect_embedded() {
  const std::int64_t words = 11, longest = 7;
  for (const std::int64_t rows : {0, 1, 5, 8, 67})
    for (const std::int64_t hidden : {1, 31, 128, 130}) {
      SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(hidden));
      const auto word = random_values<T>(words * hidden, 1), position = random_values<T>(longest * hidden, 2, 10),
                 type = random_values<T>(hidden, 3, 100);
      std::vector<std::uint32_t> ids, positions;
      for (std::int64_t row = 0; row < rows; ++row) {
        ids.push_back(static_cast<std::uint32_t>((5 * row + 3) % words));
        positions.push_back(static_cast<std::uint32_t>((3 * row + 1) % longest));
      }
      std::vector<double> expected(static_cast<std::size_t>(rows * hidden));
      kernels::kernel_table<double>().embed(kernels::on_cpu, converted<double>(word).data(),
                                            converted<double>(position).data(), converted<double>(type).data(),
                                            ids.data(), positions.data(), rows, hidden, expected.data());
      for_each_order([&] {
        std::vector<T> out(expected.size(), 7);
        GpuOnCpu gpu;
        kernels::cuda::embed<T>(gpu.context(), word.data(), position.data(), type.data(), ids.data(), positions.data(),
                                rows, hidden, out.data());
        expect_near(out, expected, kernel_tolerance<T, T>(), "embedding");
      });
      // Without a type it is that much less, on both.
      std::vector<double> without(expected.size(), 7);
      kernels::kernel_table<double>().embed(kernels::on_cpu, converted<double>(word).data(),
                                            converted<double>(position).data(), nullptr, ids.data(), positions.data(),
                                            rows, hidden, without.data());
      std::vector<T> out(expected.size(), 7);
      GpuOnCpu gpu;
      kernels::cuda::embed<T>(gpu.context(), word.data(), position.data(), nullptr, ids.data(), positions.data(), rows,
                              hidden, out.data());
      expect_near(out, without, kernel_tolerance<T, T>(), "embedding without a type");
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(without[i], expected[i] - as_double(type[i % static_cast<std::size_t>(hidden)]), 1e-12);
    }
}

TEST(CudaEmbedding, IsThatOfTheCpuInFloat64) {
  expect_embedded<double>();
}

TEST(CudaEmbedding, InFloat32IsNearFloat64) {
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

/// The GPU's kernel in T against the CPU's in float64.
template <typename T>
void expect_added(const std::vector<std::int64_t>& sizes, std::int64_t width) {
  SCOPED_TRACE(std::to_string(sizes.size()) + " groups, width " + std::to_string(width));
  const Groups groups(sizes);
  const OneShard shard(groups.rows());
  const auto x = random_values<T>(groups.rows() * width, 1),
             table = random_values<T>(groups.rows_of_table() * width, 2);
  auto expected = converted<double>(table);
  kernels::kernel_table<double>().add_grouped_rows(kernels::on_cpu, converted<double>(x).data(), groups.groups(),
                                                   shard.rows(), width, expected.data());
  std::vector<T> first;
  for_each_order([&] {
    std::vector<T> out = table;
    GpuOnCpu gpu;
    kernels::cuda::add_grouped_rows<T>(gpu.context(), x.data(), groups.groups(), shard.rows(), width, out.data());
    expect_near(out, expected, kernel_tolerance<T, T>(), "table");
    if (first.empty()) first = out;
    EXPECT_EQ(out, first);
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
