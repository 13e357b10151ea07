#include "inference/search/similarity_matrix.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "dist/group_work.hpp"
#include "inference/search/check_embeddings.hpp"
#include "model/objective/similarity.hpp"
#include "model/parallel_tasks.hpp"
#include "model/similarities/list.hpp"

namespace gausscse {

namespace {

/// Rows and columns of a tile.
constexpr std::int64_t rows_of_tile = 1024, columns_of_tile = 2048;

/// Returns each dimension of each row as a similarity reads it.
template <typename S>
std::vector<kernels::Gaussian<double>> packed(const at::Tensor& rows) {
  const std::int64_t dimension = rows.size(1) / 2;
  const auto* values = rows.const_data_ptr<float>();
  std::vector<kernels::Gaussian<double>> packed;
  packed.reserve(static_cast<std::size_t>(rows.size(0) * dimension));
  for (std::int64_t i = 0; i < rows.size(0); ++i, values += 2 * dimension)
    for (std::int64_t d = 0; d < dimension; ++d) {
      const auto log_var = static_cast<double>(values[dimension + d]);
      const double spread = S::spread(log_var);
      packed.push_back({static_cast<double>(values[d]), spread, 1 / spread, log_var});
    }
  return packed;
}

/// Rows of `a` that are compared together with one row of `b`, which stays in the cache meanwhile.
constexpr std::int64_t rows_at_once = 16;

template <typename S, typename T>
void fill_gaussian(const at::Tensor& a, const at::Tensor& b, int threads, const std::function<void()>& watch,
                   T* values) {
  const std::int64_t dimension = a.size(1) / 2, rows = a.size(0), columns = b.size(0);
  const std::vector<kernels::Gaussian<double>> p = packed<S>(a), q = packed<S>(b);
  run_tasks((rows + rows_at_once - 1) / rows_at_once, threads, [&](std::int64_t task, int thread) {
    if (watch && thread == 0) watch();
    const std::int64_t begin = task * rows_at_once, end = std::min(rows, begin + rows_at_once);
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = begin; i < end; ++i) {
        const auto* const own = p.data() + i * dimension;
        const auto* const other = q.data() + j * dimension;
        double sum = 0;
        for (std::int64_t d = 0; d < dimension; ++d) sum += S::term(S::divergence(own[d], other[d]));
        values[i * columns + j] = static_cast<T>(S::similarity(sum, static_cast<double>(dimension)));
      }
  });
}

template <typename T>
void fill_cosines(const at::Tensor& a, const at::Tensor& b, int threads, const std::function<void()>& watch,
                  T* values) {
  const std::int64_t width = a.size(1), columns = b.size(0);
  const auto *p = a.const_data_ptr<float>(), *q = b.const_data_ptr<float>();
  run_tasks(a.size(0), threads, [&](std::int64_t i, int thread) {
    if (watch && thread == 0) watch();
    for (std::int64_t j = 0; j < columns; ++j)
      values[i * columns + j] = static_cast<T>(cosine(p + i * width, q + j * width, width));
  });
}

/// Returns sim(a_i || b_j) as element [i, j] of a matrix of T.
template <typename T>
at::Tensor matrix_of(const at::Tensor& a, const at::Tensor& b, Similarity similarity, std::size_t threads,
                     const std::function<void()>& watch) {
  GAUSSCSE_CHECK(a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(1), "rows of one width");
  GAUSSCSE_CHECK(a.is_cpu() && b.is_cpu() && a.scalar_type() == at::kFloat && b.scalar_type() == at::kFloat,
                 "rows of float32 on the CPU");
  GAUSSCSE_CHECK(!is_gaussian(similarity) || a.size(1) % 2 == 0, "rows of Gaussians are [mean | log_var]");
  const at::Tensor p = a.contiguous(), q = b.contiguous();
  check_embeddings(p, similarity, "row", 0);
  check_embeddings(q, similarity, "row", 0);
  at::Tensor matrix = at::empty({p.size(0), q.size(0)}, c10::CppTypeToScalarType<T>::value);
  auto* values = matrix.mutable_data_ptr<T>();
  const int count = static_cast<int>(threads);
  if (is_gaussian(similarity))
    kernels::with_similarity<kernels::HostMath>(
        similarity, [&](auto of) { fill_gaussian<decltype(of)>(p, q, count, watch, values); });
  else
    fill_cosines(p, q, count, watch, values);
  return matrix;
}

/// Columns of a matrix that this rank computes: its rows of `b`, in tiles.
class OwnColumns {
 public:
  OwnColumns(RowsFile& b, SentenceModel& model, Communicator& communicator, const ReadRowsSettings& settings,
             Notes& notes)
      : file_(b) {
    if (b.is_text()) {
      notes = read_rows(b, model, communicator, settings, [&](const at::Tensor& rows, std::uint64_t first_row) {
        for (std::int64_t row = 0; row < rows.size(0); row += columns_of_tile) {
          firsts_.push_back(first_row + static_cast<std::uint64_t>(row));
          kept_.push_back(rows.narrow(0, row, std::min(columns_of_tile, rows.size(0) - row)).clone());
        }
      });
    } else {
      const auto step = static_cast<std::uint64_t>(columns_of_tile);
      for (std::uint64_t first = static_cast<std::uint64_t>(communicator.rank()) * step; first < b.rows();
           first += static_cast<std::uint64_t>(communicator.size()) * step)
        firsts_.push_back(first);
    }
  }

  std::size_t tiles() const { return firsts_.size(); }
  std::uint64_t first(std::size_t tile) const { return firsts_[tile]; }
  at::Tensor rows(std::size_t tile) const {
    if (!kept_.empty()) return kept_[tile];
    return read_embeddings(file_.embeddings(), firsts_[tile],
                           std::min(static_cast<std::uint64_t>(columns_of_tile), file_.rows() - firsts_[tile]));
  }

 private:
  RowsFile& file_;
  std::vector<std::uint64_t> firsts_;
  std::vector<at::Tensor> kept_;  ///< rows of a text
};

/// Gives the tile of each rank to `take` on rank 0; an undefined one is none. `rows` are those of all tiles.
void gather_tiles(const MatrixTile& own, std::int64_t rows, Communicator& communicator,
                  const std::function<void(const MatrixTile&)>& take) {
  const std::int64_t own_columns = own.values.defined() ? own.values.size(1) : 0;
  const std::vector<std::string> places = communicator.all_gather_text(concat(own.column, " ", own_columns));
  std::vector<std::uint64_t> first;
  std::vector<std::int64_t> columns, counts;
  std::int64_t all = 0;
  for (const std::string& place : places) {
    const std::size_t blank = place.find(' ');
    first.push_back(std::stoull(place.substr(0, blank)));
    columns.push_back(std::stoll(place.substr(blank + 1)));
    counts.push_back(rows * columns.back());
    all += counts.back();
  }
  const at::Tensor local = own.values.defined() ? own.values : at::empty({0}, at::kFloat);
  const at::Tensor gathered = at::empty({all}, at::kFloat);
  communicator.all_gather(local, counts, gathered);
  if (!communicator.is_root()) return;
  const LongOperation taking(communicator);
  std::int64_t offset = 0;
  for (std::size_t rank = 0; rank < places.size(); offset += counts[rank++])
    if (counts[rank] > 0)
      take({own.row, first[rank], gathered.narrow(0, offset, counts[rank]).view({rows, columns[rank]})});
}

std::size_t most_tiles(std::size_t own, ControlGroup& ranks) {
  std::size_t most = 0;
  for (const std::string& each : ranks.all_gather_text(concat(own)))
    most = std::max<std::size_t>(most, std::stoull(each));
  return most;
}

}  // namespace

at::Tensor similarity_matrix(const at::Tensor& a, const at::Tensor& b, Similarity similarity, std::size_t threads,
                             const std::function<void()>& watch) {
  return matrix_of<float>(a, b, similarity, threads, watch);
}

at::Tensor exact_similarity_matrix(const at::Tensor& a, const at::Tensor& b, Similarity similarity,
                                   std::size_t threads) {
  return matrix_of<double>(a, b, similarity, threads, {});
}

Notes compute_similarity_matrix(RowsFile& a, RowsFile& b, SentenceModel& model, Communicator& communicator,
                                std::size_t threads, const std::function<void(std::uint64_t rows_done)>& on_rows,
                                const std::function<void(const MatrixTile&)>& take) {
  const Similarity similarity = model.properties.similarity;
  Notes notes;
  const OwnColumns columns(b, model, communicator, {.of_rank = RowsOfRank::part, .threads = threads}, notes);
  const std::size_t rounds = most_tiles(columns.tiles(), communicator);
  std::uint64_t first_row = 0;
  const auto add_rows = [&](const at::Tensor& rows) {
    for (std::size_t round = 0; round < rounds; ++round) {
      MatrixTile tile{.row = first_row, .column = 0, .values = {}};
      run_on_ranks(communicator, round < columns.tiles(), [&] {
        tile.column = columns.first(round);
        const at::Tensor others = columns.rows(round);
        check_embeddings(rows, similarity, concat(a.path().string(), ": row"), first_row);
        check_embeddings(others, similarity, concat(b.path().string(), ": row"), tile.column);
        tile.values = similarity_matrix(rows, others, similarity, threads);
      });
      gather_tiles(tile, rows.size(0), communicator, take);
    }
    first_row += static_cast<std::uint64_t>(rows.size(0));
    on_rows(first_row);
  };
  std::vector<at::Tensor> blocks;
  const auto add_block = [&] {
    for (const at::Tensor& block : std::exchange(blocks, {}))
      for (std::int64_t row = 0; row < block.size(0); row += rows_of_tile)
        add_rows(block.narrow(0, row, std::min(rows_of_tile, block.size(0) - row)));
  };
  // Blocks are computed between two readings, as that is collective.
  const Notes of_rows =
      read_rows(a, model, communicator, {.threads = threads, .on_block = [&](std::uint64_t) { add_block(); }},
                [&](const at::Tensor& rows, std::uint64_t) { blocks.push_back(rows); });
  notes.info.insert(notes.info.end(), of_rows.info.begin(), of_rows.info.end());
  notes.warnings.insert(notes.warnings.end(), of_rows.warnings.begin(), of_rows.warnings.end());
  return notes;
}

}  // namespace gausscse
