#include "inference/search/given_rows.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "inference/search/parquet_vectors.hpp"
#include "inference/search/rows_file.hpp"

namespace gausscse {

std::shared_ptr<const EmbeddingsReader> open_vectors(const std::filesystem::path& path) {
  const std::shared_ptr<const EmbeddingsReader> file(is_parquet(path) ? new EmbeddingsReader(open_parquet_vectors(path))
                                                                      : new EmbeddingsReader(path));
  if (file->is_gaussian())
    throw InputError(concat(path.string(),
                            ": holds Gaussians, mean and log_var, where vectors are needed: give a file ",
                            "with one matrix, called \"embedding\""));
  if (file->rows() == 0 || file->width() == 0)
    throw InputError(concat(path.string(), ": the matrix is [", file->rows(), ", ", file->width(),
                            "]: give the vectors of some sentences"));
  return file;
}

at::Tensor read_vectors(const EmbeddingsReader& file, const std::filesystem::path& path, std::uint64_t first) {
  at::Tensor rows = read_embeddings(file, first, std::min(rows_of_vectors, file.rows() - first));
  const auto* values = rows.const_data_ptr<float>();
  const auto* end = values + rows.numel();
  const auto* bad = std::find_if_not(values, end, [](float value) { return std::isfinite(value); });
  if (bad == end) return rows;
  const auto place = static_cast<std::uint64_t>(bad - values);
  throw InputError(concat(path.string(), ": row ", first + place / file.width(), ", column ", place % file.width(),
                          ": the value is ", *bad,
                          ", not a finite number: compute the vector again, or leave its "
                          "sentence out; rows and columns count from 0"));
}

}  // namespace gausscse
