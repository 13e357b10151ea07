#include "results/embeddings_content.hpp"

#include <H5Cpp.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file_kind.hpp"
#include "base/strict_json.hpp"
#include "model/weights/safetensors.hpp"
#include "results/embeddings_output.hpp"
#include "results/guarded_reading.hpp"
#include "results/hdf5_image.hpp"
#include "results/hdf5_values.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view npy_magic = "\x93NUMPY";
constexpr std::size_t npy_lengths = 10;  // bytes of magic, version and the length in two bytes
constexpr std::size_t most_npy_text = 10'000;
constexpr unsigned most_attributes = 1000;

std::string beginning_of(const OpenFile& file, std::size_t most, const fs::path& path) {
  std::string bytes(std::min(most, file.size), '\0');
  read_at(file, 0, bytes.data(), bytes.size(), path);
  return bytes;
}

/// Returns a path by which the open file is opened again, even if another has its name now.
std::string path_of_descriptor(const OpenFile& file) {
  return concat("/proc/self/fd/", file.descriptor.get());
}

[[noreturn]] void refuse_npy(const fs::path& path, std::string_view why) {
  throw InputError(concat(path.string(), ": ", why, ": save a matrix of float32 in C order, [rows, columns], such as ",
                          "numpy.save(path, numpy.ascontiguousarray(x, '<f4'))"));
}

/// Removes `text` from the front of `rest`; false where it is not there.
bool take(std::string_view& rest, std::string_view text) {
  if (!rest.starts_with(text)) return false;
  rest.remove_prefix(text.size());
  return true;
}

bool take_number(std::string_view& rest, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc()) return false;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return true;
}

}  // namespace

/// Magic, version, length of a text that is a Python dict, that text, values.
StoredMatrix npy_matrix(const OpenFile& file, const fs::path& path, std::uint64_t place, std::uint64_t bytes) {
  std::string start(static_cast<std::size_t>(std::min<std::uint64_t>(npy_lengths + 2 + most_npy_text, bytes)), '\0');
  read_at(file, place, start.data(), start.size(), path);
  if (start.size() < npy_lengths + 2 || !start.starts_with(npy_magic))
    refuse_npy(path, "the .npy file ends in its header");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(start[i])); };
  const bool is_first_version = byte(6) == 1;
  const std::size_t begin = is_first_version ? npy_lengths : npy_lengths + 2;
  const std::size_t length =
      byte(8) | byte(9) << 8 | (is_first_version ? std::size_t{0} : byte(10) << 16 | byte(11) << 24);
  if (length > start.size() - begin) refuse_npy(path, "the .npy file ends in its header, or that is longer than any");
  std::string text = start.substr(begin, length);
  const std::optional<std::string> seal = seal_in_padding(std::string_view(text).substr(text.rfind('}') + 1));
  std::erase_if(text, [](unsigned char c) { return std::isspace(c); });
  StoredMatrix matrix{"embedding", 0, 0, place + begin + length, seal.value_or("")};
  std::string_view rest = text;
  if (!take(rest, "{'descr':'<f4','fortran_order':False,'shape':(") || !take_number(rest, matrix.rows) ||
      !take(rest, ",") || !take_number(rest, matrix.columns) || (take(rest, ","), !take(rest, ")")) ||
      (take(rest, ","), rest != "}") || !seal)
    refuse_npy(path, concat("the .npy file holds another array, as its header ", quoted(text), " shows"));
  std::uint64_t values = sizeof(float);
  if (__builtin_mul_overflow(values, matrix.rows, &values) || __builtin_mul_overflow(values, matrix.columns, &values) ||
      values > bytes - begin - length)
    throw InputError(concat(path.string(), ": ", matrix.name, " is [", matrix.rows, ", ", matrix.columns,
                            "], but the file ends before its last value: get it again"));
  return matrix;
}

namespace {

EmbeddingsContent safetensors_content(const OpenFile& file, const fs::path& path) {
  const MappedFile mapped(path_of_descriptor(file));
  SafetensorsContent found = parse_safetensors(mapped.bytes(), path.string());
  EmbeddingsContent content{{}, std::move(found.metadata)};
  for (const TensorEntry& tensor : found.tensors) {
    if (tensor.dtype != Dtype::f32 || tensor.shape.size() != 2) continue;
    content.matrices.push_back({tensor.name, static_cast<std::uint64_t>(tensor.shape[0]),
                                static_cast<std::uint64_t>(tensor.shape[1]),
                                static_cast<std::uint64_t>(tensor.bytes.data() - mapped.bytes().data())});
  }
  return content;
}

/// Returns the matrix that a link of the root group leads to; nothing for a group, another type or another layout.
std::optional<StoredMatrix> stored_matrix(const H5::Group& group, const std::string& name) {
  if (group.childObjType(name) != H5O_TYPE_DATASET) return std::nullopt;
  const H5::DataSet data = group.openDataSet(name);
  const H5::DSetCreatPropList properties = data.getCreatePlist();
  const H5::DataSpace space = data.getSpace();
  if (space.getSimpleExtentNdims() != 2 || data.getTypeClass() != H5T_FLOAT ||
      !(data.getDataType() == H5::PredType::IEEE_F32LE) || properties.getLayout() != H5D_CONTIGUOUS ||
      properties.getExternalCount() > 0)
    return std::nullopt;
  hsize_t shape[2] = {0, 0};
  space.getSimpleExtentDims(shape);
  const bool is_empty = shape[0] == 0 || shape[1] == 0;
  return StoredMatrix{name, shape[0], shape[1], is_empty ? 0 : static_cast<std::uint64_t>(data.getOffset())};
}

/// Returns the attributes that are texts or whole numbers.
Json attributes_of(const H5::Group& group) {
  Json attributes = Json::object();
  const auto count = static_cast<unsigned>(std::max(0, group.getNumAttrs()));
  for (unsigned i = 0; i < std::min(count, most_attributes); ++i) {
    const H5::Attribute attribute = group.openAttribute(i);
    const std::string name = attribute.getName();
    if (attribute.getSpace().getSimpleExtentNpoints() != 1) continue;
    if (attribute.getTypeClass() == H5T_STRING) attributes[name] = read_text_attribute(group, name);
    if (attribute.getTypeClass() == H5T_INTEGER)
      attributes[name] = std::to_string(read_attribute<std::int64_t>(group, name));
  }
  return attributes;
}

/// Opens the file for HDF5. That cannot open the copy of a pipe, which has no name: such a file is opened in memory.
H5::H5File open_for_hdf5(const OpenFile& file, const fs::path& path) {
  if (kept_input(path)) return open_hdf5_image(MappedFile(path).bytes());
  H5::FileAccPropList access;
  H5Pset_file_locking(access.getId(), false, true);
  return H5::H5File(path_of_descriptor(file), H5F_ACC_RDONLY, H5::FileCreatPropList::DEFAULT, access);
}

/// Returns, as JSON, the datasets and attributes that HDF5 finds in the file.
std::string hdf5_content_text(const OpenFile& opened, const fs::path& path) {
  silence_hdf5();
  try {
    const H5::H5File file = open_for_hdf5(opened, path);
    check_holds_all(file);
    const H5::Group root = file.openGroup("/");
    Json content{{"matrices", Json::array()}, {"attributes", attributes_of(root)}};
    for (const char* name : {"mean", "log_var", "embedding"}) {
      if (!root.nameExists(name)) continue;
      if (const auto matrix = stored_matrix(root, name))
        content["matrices"].push_back({matrix->name, matrix->rows, matrix->columns, matrix->offset});
    }
    return content.dump();
  } catch (const H5::Exception& error) {
    throw InputError(hdf5_error_text(error));
  }
}

EmbeddingsContent hdf5_content(const OpenFile& file, const fs::path& path) {
  try {
    const std::string text = computed_apart(time_to_read(0), [&] { return hdf5_content_text(file, path); });
    const JsonDocument document = parse_strict_json(text, path.string());
    EmbeddingsContent content;
    for (const auto& [name, value] : document->at("attributes").items())
      content.attributes.emplace(name, value.get<std::string>());
    for (const Json& matrix : document->at("matrices"))
      content.matrices.push_back({matrix.at(0).get<std::string>(), matrix.at(1).get<std::uint64_t>(),
                                  matrix.at(2).get<std::uint64_t>(), matrix.at(3).get<std::uint64_t>()});
    return content;
  } catch (const InputError& error) {
    throw InputError(concat(path.string(), ": the HDF5 file is damaged, or of another kind: ", error.what(),
                            ": write it again with `gausscse encode`"));
  } catch (const Json::exception&) {
    throw InputError(concat(path.string(), ": the HDF5 file is damaged: write it again with `gausscse encode`"));
  }
}

}  // namespace

std::optional<EmbeddingsFormat> format_of_content(const OpenFile& file, const fs::path& path) {
  const std::string start = beginning_of(file, file_kind_bytes, path);
  if (start.starts_with(npy_magic)) return EmbeddingsFormat::npy;
  const FileKind* kind = find_file_kind(start);
  if (kind && kind->name == hdf5_kind) return EmbeddingsFormat::hdf5;
  if (kind && kind->name == safetensors_kind) return EmbeddingsFormat::safetensors;
  if (kind && kind->name == npz_kind) return EmbeddingsFormat::npz;
  return std::nullopt;
}

EmbeddingsContent read_embeddings_content(EmbeddingsFormat format, const OpenFile& file, const fs::path& path) {
  switch (format) {
    case EmbeddingsFormat::hdf5:
      return hdf5_content(file, path);
    case EmbeddingsFormat::npy: {
      const StoredMatrix matrix = npy_matrix(file, path, 0, file.size);
      if (matrix.seal.empty()) return {{matrix}, {}};
      return {{matrix}, {{embeddings_seal, matrix.seal}}};
    }
    case EmbeddingsFormat::safetensors:
      return safetensors_content(file, path);
    case EmbeddingsFormat::npz:
      return npz_content(file, path);
    case EmbeddingsFormat::parquet:
      break;
  }
  throw std::logic_error("no format of this number");
}

void read_at(const OpenFile& file, std::uint64_t offset, char* buffer, std::size_t bytes, const fs::path& path) {
  while (bytes > 0) {
    const ssize_t got = ::pread(file.descriptor.get(), buffer, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw SystemError(concat("cannot read ", path.string(), ": pread: ", errno_text(errno)));
    if (got == 0)
      throw InputError(concat(path.string(), ": ends at byte ", offset, ", before its last value: it has ",
                              "become shorter while it was read"));
    buffer += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

}  // namespace gausscse
