#pragma once

#include <H5Cpp.h>

#include "tests/support/testing.hpp"

namespace gausscse {

/// Returns the values of the float matrix `name` of an HDF5 file; expects it to be [rows, columns].
inline std::vector<float> read_matrix(const std::filesystem::path& path, const char* name, std::size_t rows,
                                      std::size_t columns) {
  const H5::H5File file(path.string(), H5F_ACC_RDONLY);
  const H5::DataSet data = file.openDataSet(name);
  hsize_t shape[2] = {};
  EXPECT_EQ(data.getSpace().getSimpleExtentDims(shape), 2);
  EXPECT_EQ(shape[0], rows);
  EXPECT_EQ(shape[1], columns);
  EXPECT_EQ(data.getDataType().getSize(), sizeof(float));
  std::vector<float> values(rows * columns);
  if (!values.empty()) data.read(values.data(), H5::PredType::NATIVE_FLOAT);
  return values;
}

}  // namespace gausscse
