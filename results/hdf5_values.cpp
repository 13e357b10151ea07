#include "results/hdf5_values.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace gausscse {

namespace {

/// Returns the type of UTF-8 of any length, which h5py reads as str.
H5::StrType text_type() {
  H5::StrType type(H5::PredType::C_S1, H5T_VARIABLE);
  type.setCset(H5T_CSET_UTF8);
  return type;
}

const char* c_text(const std::string& text) {
  GAUSSCSE_CHECK(text.find('\0') == std::string::npos, quoted(text), " holds a NUL, which HDF5 would cut at");
  return text.c_str();
}

/// Throws H5::DataSetIException for text that is not UTF-8, which nothing here writes: it would be printed, and written
/// as JSON.
std::string checked_text(std::string text) {
  if (find_invalid_utf8(text) != std::string_view::npos)
    throw H5::DataSetIException("read_text", quoted(text) + " is not UTF-8");
  return text;
}

/// Strings that HDF5 allocated while reading.
class ReadTexts {
 public:
  ReadTexts(const H5::DataSet& data, std::size_t count) : type_(text_type()), space_(data.getSpace()), texts_(count) {
    // HDF5 sets a buffer of its usual size, 1 MiB, to zero for each read.
    constexpr std::size_t bytes_of_reference = 16, usual_buffer = std::size_t{1} << 20;
    H5::DSetMemXferPropList transfer;
    transfer.setBuffer(std::clamp(count * bytes_of_reference, bytes_of_reference, usual_buffer), nullptr, nullptr);
    data.read(texts_.data(), type_, H5::DataSpace::ALL, H5::DataSpace::ALL, transfer);
  }
  ReadTexts(const ReadTexts&) = delete;
  ReadTexts& operator=(const ReadTexts&) = delete;
  ~ReadTexts() { H5Dvlen_reclaim(type_.getId(), space_.getId(), H5P_DEFAULT, texts_.data()); }

  std::vector<std::string> copy() const {
    std::vector<std::string> texts;
    for (const char* text : texts_) texts.push_back(checked_text(text ? text : ""));
    return texts;
  }

 private:
  H5::StrType type_;
  H5::DataSpace space_;
  std::vector<char*> texts_;
};

void check_is_text(const H5::DataSet& data, const std::string& name) {
  if (data.getTypeClass() != H5T_STRING || !data.getStrType().isVariableStr()) {
    throw H5::DataSetIException("read_texts", name + " holds no texts");
  }
}

}  // namespace

H5::DataSet open_own_dataset(const H5::Group& group, const std::string& name) {
  H5::DataSet data = group.openDataSet(name);
  // A place in the file is quicker to ask for than the properties; datasets without values have none.
  if (H5Dget_offset(data.getId()) != HADDR_UNDEF) return data;
  const H5::DSetCreatPropList properties = data.getCreatePlist();
  if (properties.getLayout() == H5D_VIRTUAL || properties.getExternalCount() > 0)
    throw H5::DataSetIException("open_own_dataset", name + " has its values in another file");
  return data;
}

H5::DSetCreatPropList without_time() {
  const H5::DSetCreatPropList properties;
  H5Pset_obj_track_times(properties.getId(), false);
  return properties;
}

void write_text(H5::Group& group, const std::string& name, const std::string& text) {
  const char* value = c_text(text);
  group.createDataSet(name, text_type(), H5::DataSpace(H5S_SCALAR), without_time()).write(&value, text_type());
}

void write_texts(H5::Group& group, const std::string& name, const std::vector<std::string>& texts) {
  const hsize_t length = texts.size();
  const H5::DataSet data = group.createDataSet(name, text_type(), H5::DataSpace(1, &length), without_time());
  std::vector<const char*> values;
  for (const std::string& text : texts) values.push_back(c_text(text));
  if (!values.empty()) data.write(values.data(), text_type());
}

void write_text_attribute(H5::H5Object& object, const std::string& name, const std::string& text) {
  c_text(text);
  object.createAttribute(name, text_type(), H5::DataSpace(H5S_SCALAR)).write(text_type(), text);
}

std::string read_text(const H5::Group& group, const std::string& name) {
  const H5::DataSet data = open_own_dataset(group, name);
  check_is_text(data, name);
  if (data.getSpace().getSimpleExtentNpoints() != 1) {
    throw H5::DataSetIException("read_text", name + " is not one text");
  }
  return ReadTexts(data, 1).copy()[0];
}

std::vector<std::string> read_texts(const H5::Group& group, const std::string& name) {
  const H5::DataSet data = open_own_dataset(group, name);
  check_is_text(data, name);
  const std::size_t length = checked_length(data, sizeof(char*));
  return length == 0 ? std::vector<std::string>() : ReadTexts(data, length).copy();
}

std::string read_text_attribute(const H5::H5Object& object, const std::string& name) {
  const H5::Attribute attribute = object.openAttribute(name);
  if (attribute.getTypeClass() != H5T_STRING || attribute.getSpace().getSimpleExtentNpoints() != 1) {
    throw H5::AttributeIException("read_text_attribute", name + " is not one text");
  }
  std::string text;
  attribute.read(attribute.getStrType(), text);
  return checked_text(std::move(text));
}

std::size_t checked_length(const H5::DataSet& data, std::size_t element_bytes) {
  const H5::DataSpace space = data.getSpace();
  if (space.getSimpleExtentNdims() != 1) throw H5::DataSetIException("checked_length", "not one-dimensional");
  hsize_t length = 0;
  space.getSimpleExtentDims(&length);
  // A dataset that is stored without compression cannot be longer than the bytes it has in the file.
  if (length > data.getStorageSize() / std::min(element_bytes, data.getDataType().getSize())) {
    throw H5::DataSetIException("checked_length", "longer than what the file holds");
  }
  return static_cast<std::size_t>(length);
}

void write_matrix(H5::Group& group, const std::string& name, const std::vector<float>& values, std::int64_t columns) {
  GAUSSCSE_CHECK(columns > 0 && values.size() % static_cast<std::size_t>(columns) == 0, values.size(), " values in ",
                 columns, " columns");
  const hsize_t shape[] = {values.size() / static_cast<hsize_t>(columns), static_cast<hsize_t>(columns)};
  const H5::DataSet data = group.createDataSet(name, types_of(0.0f).stored, H5::DataSpace(2, shape), without_time());
  if (!values.empty()) data.write(values.data(), types_of(0.0f).in_memory);
}

ReadMatrix read_matrix(const H5::Group& group, const std::string& name) {
  const H5::DataSet data = open_own_dataset(group, name);
  const H5::DataSpace space = data.getSpace();
  if (space.getSimpleExtentNdims() != 2 || data.getTypeClass() != H5T_FLOAT ||
      data.getDataType().getSize() != sizeof(float))
    throw H5::DataSetIException("read_matrix", name + " is no matrix of float32");
  hsize_t shape[2] = {0, 0};
  space.getSimpleExtentDims(shape);
  if (shape[1] == 0 || shape[0] > data.getStorageSize() / sizeof(float) / shape[1])
    throw H5::DataSetIException("read_matrix", name + " is larger than what the file holds");
  ReadMatrix matrix{static_cast<std::int64_t>(shape[1]), std::vector<float>(shape[0] * shape[1])};
  if (!matrix.values.empty()) data.read(matrix.values.data(), types_of(0.0f).in_memory);
  return matrix;
}

}  // namespace gausscse
