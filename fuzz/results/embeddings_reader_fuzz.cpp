#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file_kind.hpp"
#include "results/embeddings_file.hpp"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

/// File without a name that holds these bytes.
class UnnamedFile {
 public:
  explicit UnnamedFile(std::string_view bytes) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    require(descriptor_ >= 0 && ::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;
  ~UnnamedFile() { ::close(descriptor_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

/// Reads the input as a file of embeddings: .npy, .npz or .safetensors. It is refused, or all of its values are bytes
/// of it. HDF5 is left out, as each of its files is read in a process of its own.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const gausscse::FileKind* kind = gausscse::find_file_kind(input);
  if (kind && kind->name == gausscse::hdf5_kind) return 0;
  const UnnamedFile file(input);
  try {
    const gausscse::EmbeddingsReader reader(file.path());
    require(reader.datasets().size() == (reader.is_gaussian() ? 2u : 1u));
    if (reader.rows() == 0 || reader.width() == 0) return 0;
    require(reader.rows() <= size && reader.width() <= size);
    const std::vector<float> rows = reader.read(0, reader.rows());
    require(rows.size() == reader.rows() * reader.width());
    const std::string_view first(reinterpret_cast<const char*>(rows.data()), reader.dimension() * sizeof(float));
    require(input.find(first) != std::string_view::npos);
  } catch (const gausscse::InputError&) {
  }
  return 0;
}
