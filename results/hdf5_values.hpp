#pragma once

#include <H5Cpp.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gausscse {

/// Reading and writing of plain values in HDF5 groups. All throw H5::Exception where HDF5 refuses; the readers also
/// where the dataset is of another shape or larger than the file can hold.

/// Types of a value in HDF5: how it is stored, little-endian on any machine, and how it lies in memory.
struct ValueTypes {
  const H5::PredType &stored, &in_memory;
};
inline ValueTypes types_of(std::int64_t) {
  return {H5::PredType::STD_I64LE, H5::PredType::NATIVE_INT64};
}
inline ValueTypes types_of(double) {
  return {H5::PredType::IEEE_F64LE, H5::PredType::NATIVE_DOUBLE};
}
inline ValueTypes types_of(float) {
  return {H5::PredType::IEEE_F32LE, H5::PredType::NATIVE_FLOAT};
}
inline ValueTypes types_of(std::uint8_t) {
  return {H5::PredType::STD_U8LE, H5::PredType::NATIVE_UINT8};
}

/// Opens a dataset whose values lie in the file itself. Throws H5::Exception for external storage and virtual datasets.
H5::DataSet open_own_dataset(const H5::Group& group, const std::string& name);

/// Properties of datasets without a time stamp, so that equal content is equal bytes.
H5::DSetCreatPropList without_time();

void write_text(H5::Group& group, const std::string& name, const std::string& text);
void write_texts(H5::Group& group, const std::string& name, const std::vector<std::string>& texts);
void write_text_attribute(H5::H5Object& object, const std::string& name, const std::string& text);

std::string read_text(const H5::Group& group, const std::string& name);
std::vector<std::string> read_texts(const H5::Group& group, const std::string& name);
std::string read_text_attribute(const H5::H5Object& object, const std::string& name);

/// Returns the length of a one-dimensional dataset of elements of `element_bytes` each.
std::size_t checked_length(const H5::DataSet& data, std::size_t element_bytes);

template <typename Value>
void write_values(H5::Group& group, const std::string& name, const std::vector<Value>& values) {
  const hsize_t length = values.size();
  const H5::DataSet data =
      group.createDataSet(name, types_of(Value{}).stored, H5::DataSpace(1, &length), without_time());
  if (!values.empty()) data.write(values.data(), types_of(Value{}).in_memory);
}

template <typename Value>
std::vector<Value> read_values(const H5::Group& group, const std::string& name) {
  const H5::DataSet data = open_own_dataset(group, name);
  std::vector<Value> values(checked_length(data, sizeof(Value)));
  if (!values.empty()) data.read(values.data(), types_of(Value{}).in_memory);
  return values;
}

/// Writes float32 [rows, columns].
void write_matrix(H5::Group& group, const std::string& name, const std::vector<float>& values, std::int64_t columns);

struct ReadMatrix {
  std::int64_t columns = 1;
  std::vector<float> values;
};
ReadMatrix read_matrix(const H5::Group& group, const std::string& name);

template <typename Value>
void write_attribute(H5::H5Object& object, const std::string& name, Value value) {
  object.createAttribute(name, types_of(value).stored, H5::DataSpace(H5S_SCALAR))
      .write(types_of(value).in_memory, &value);
}

template <typename Value>
Value read_attribute(const H5::H5Object& object, const std::string& name) {
  const H5::Attribute attribute = object.openAttribute(name);
  if (attribute.getSpace().getSimpleExtentNpoints() != 1) {
    throw H5::AttributeIException("read_attribute", name + " is not one value");
  }
  Value value{};
  attribute.read(types_of(value).in_memory, &value);
  return value;
}

}  // namespace gausscse
