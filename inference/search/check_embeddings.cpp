#include "inference/search/check_embeddings.hpp"

#include <cmath>

#include "base/error.hpp"

namespace gausscse {

void check_embeddings(const at::Tensor& rows, Similarity similarity, std::string_view what, std::uint64_t first_row) {
  const float* values = rows.const_data_ptr<float>();
  const std::int64_t width = rows.size(1), log_vars_from = is_gaussian(similarity) ? width / 2 : width;
  for (std::int64_t i = 0; i < rows.size(0); ++i) {
    for (std::int64_t column = 0; column < width; ++column) {
      const float value = values[i * width + column];
      const bool is_log_var = column >= log_vars_from;
      if (std::isfinite(value) && (!is_log_var || std::abs(value) <= highest_log_var)) continue;
      throw InputError(concat(what, " ", first_row + static_cast<std::uint64_t>(i), ": the embedding has the ",
                              is_log_var ? "log-variance " : "value ", value, " in column ", column,
                              ", of which no similarity can be computed: is the file damaged, or did the training "
                              "diverge? Rows count from 0"));
    }
  }
}

}  // namespace gausscse
