#pragma once

#include <ATen/ops/empty.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "inference/search/model_embeddings.hpp"
#include "inference/search/rows_file.hpp"
#include "python/arrays.hpp"
#include "python/interpreter.hpp"

namespace gausscse {

using Description = std::map<std::string, std::string>;

/// Writes rows [mean | log_var], or embeddings, to the file of a user.
inline void save_rows(const std::string& path, const Rows& rows, bool is_gaussian, Description description,
                      bool overwrite) {
  const WithoutInterpreter unlocked;
  save_embeddings(path, tensor_of(rows), is_gaussian, std::move(description),
                  overwrite ? ExistingFile::replace : ExistingFile::refuse);
}

/// Reads the rows of a file of embeddings. Returns them, whether they are of Gaussians, the file's texts, and a note
/// that the file was not checked, which may be empty.
inline std::tuple<Array, bool, Description, std::string> load_rows(const std::string& path) {
  constexpr std::int64_t rows_at_once = 8192;
  at::Tensor rows;
  bool is_gaussian = false;
  Description description;
  std::string note;
  {
    const WithoutInterpreter unlocked;
    const EmbeddingsReader file(path);
    const auto count = static_cast<std::int64_t>(file.rows());
    rows = at::empty({count, static_cast<std::int64_t>(file.width())}, at::kFloat);
    for (std::int64_t first = 0; first < count; first += rows_at_once) {
      watch_for_interrupts();
      const at::Tensor some = rows.narrow(0, first, std::min(rows_at_once, count - first));
      file.read(static_cast<std::uint64_t>(first),
                {some.mutable_data_ptr<float>(), static_cast<std::size_t>(some.numel())});
    }
    is_gaussian = file.is_gaussian();
    description = file.attributes();
    description.erase("cut_sentences");  // of these rows alone
    note = file.note();
  }
  return {array_of(rows), is_gaussian, std::move(description), std::move(note)};
}

}  // namespace gausscse
