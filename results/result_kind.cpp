#include "base/file.hpp"
#include "results/hdf5_image.hpp"
#include "results/hdf5_seal.hpp"
#include "results/result_file.hpp"
#include "results/run_result.hpp"

namespace gausscse {

bool is_result_file(const std::filesystem::path& path, bool may_be_damaged) {
  const std::string bytes = read_whole_file(path, max_result_bytes, Links::refused);
  return may_be_damaged ? seal_of(bytes) != Hdf5Seal::no_hdf5 : has_hdf5_format(bytes, result_format_of_any_version);
}

bool has_no_seal(const std::filesystem::path& path, Links links) {
  std::string begin(hdf5_seal_bytes, '\0');
  const OpenFile file = open_regular_file(path, links);
  begin.resize(read_some(file, begin.data(), begin.size(), path));
  return seal_of(begin) == Hdf5Seal::absent;
}

}  // namespace gausscse
