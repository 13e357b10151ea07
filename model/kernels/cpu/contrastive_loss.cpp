#include <cstdlib>
#include <limits>
#include <new>

#include "model/kernels/cpu/contrastive.hpp"
#include "model/kernels/cpu/declarations.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

/// Anchors taken at once: bounds what is held of the similarity matrices to anchor_block * 3 * batch values.
constexpr std::int64_t anchor_block = 128;
/// Rows after the last one that tiles may read.
constexpr std::int64_t padding_rows = 4;
/// Beyond this spread of log-variances within a dimension (after centring: +-spread/2), float products overflow.
constexpr double float_spread = 80.0;

template <typename T>
class Buffer {
 public:
  explicit Buffer(std::int64_t count) {
    const auto bytes = (static_cast<std::size_t>(count) * sizeof(T) + 63) / 64 * 64;
    data_ = static_cast<T*>(std::aligned_alloc(64, bytes));
    if (!data_) throw std::bad_alloc();
  }
  ~Buffer() { std::free(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* get() const { return data_; }
  void clear(std::int64_t count) { std::memset(data_, 0, static_cast<std::size_t>(count) * sizeof(T)); }

 private:
  T* data_;
};

/// Lowest and highest log-variance of each dimension over all rows that the loss reads.
struct LogVarRanges {
  explicit LogVarRanges(std::int64_t dimension) : low(dimension), high(dimension) {}
  Buffer<double> low, high;
};

template <typename T>
void find_log_var_ranges(const ContrastiveInput<T>& input, const LogVarRanges& ranges) {
  constexpr std::int64_t block = 64;
  const std::int64_t dimension = input.dimension;
#pragma omp parallel for schedule(static)
  for (std::int64_t begin = 0; begin < dimension; begin += block) {
    const std::int64_t count = dimension - begin < block ? dimension - begin : block;
    T low[block], high[block];
    for (std::int64_t d = 0; d < count; ++d) low[d] = high[d] = input.rows[0][dimension + begin + d];
    for (int role = 0; role < input.terms.roles(); ++role) {
      for (std::int64_t i = 0; i < input.batch; ++i) {
        const T* log_var = input.rows[role] + i * 2 * dimension + dimension + begin;
#pragma omp simd
        for (std::int64_t d = 0; d < count; ++d) {
          low[d] = log_var[d] < low[d] ? log_var[d] : low[d];
          high[d] = log_var[d] > high[d] ? log_var[d] : high[d];
        }
      }
    }
    for (std::int64_t d = 0; d < count; ++d) {
      ranges.low.get()[begin + d] = static_cast<double>(low[d]);
      ranges.high.get()[begin + d] = static_cast<double>(high[d]);
    }
  }
}

/// Packs rows of type `From` for computation in type `T`.
template <typename T, typename From>
void pack(const ContrastiveInput<From>& input, const LogVarRanges& ranges, std::int64_t vectors, T* data,
          T* mean_scale) {
  constexpr std::int64_t width = VectorOf<T>::width;
  const std::int64_t dimension = input.dimension;
  // A power of two scales means without rounding: differences of near means stay exact.
  constexpr double ln2 = 0.69314718055994530942;
  Buffer<double> center(vectors * width);
  for (std::int64_t d = 0; d < vectors * width; ++d) {
    const double mid = d < dimension ? 0.5 * (ranges.low.get()[d] + ranges.high.get()[d]) : 0.0;
    const double exponent = std::nearbyint(mid / (2 * ln2));
    center.get()[d] = 2 * ln2 * exponent;
    mean_scale[d] = static_cast<T>(std::exp2(-exponent));
  }
  // A padded dimension must add nothing: 1/x of an infinite variance is 0, and so is the divergence of equals.
  const bool joint = input.similarity == SimilarityKind::joint;
  const T padded_variance = joint ? T{1} : std::numeric_limits<T>::infinity();
  const std::int64_t real_rows = input.terms.roles() * input.batch;
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < real_rows + padding_rows; ++row) {
    const bool real_row = row < real_rows;
    const From* from = real_row ? input.rows[row / input.batch] + (row % input.batch) * 2 * dimension : nullptr;
    for (std::int64_t d = 0; d < vectors * width; ++d) {
      T* to = data + ((row * vectors + d / width) * PackedGaussians<T>::parts) * width + d % width;
      if (!real_row || d >= dimension) {
        to[0] = to[3 * width] = T{0};
        to[width] = d >= dimension ? padded_variance : T{1};
        to[2 * width] = T{1};
        continue;
      }
      const double log_var = static_cast<double>(from[dimension + d]) - center.get()[d];
      to[0] = static_cast<T>(from[d]) * mean_scale[d];
      to[width] = static_cast<T>(std::exp(log_var));
      // Of the rounded variance: the ratio of equal variances is then as near 1 as can be.
      to[2 * width] = T{1} / to[width];
      to[3 * width] = static_cast<T>(log_var);
    }
  }
}

/// Turns the similarities of one anchor with its `count` candidates into derivatives of the loss by them (in place),
/// and returns that anchor's -log(...). `positive` is the candidate that is its own entailment.
template <typename T>
double softmax_row(T* row, std::int64_t count, std::int64_t positive, double temperature, double weight) {
  T largest = row[0];
#pragma omp simd reduction(max : largest)
  for (std::int64_t j = 0; j < count; ++j) largest = largest > row[j] ? largest : row[j];
  const T inverse_temperature = static_cast<T>(1.0 / temperature);
  const double numerator = (static_cast<double>(row[positive]) - static_cast<double>(largest)) / temperature;
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t j = 0; j < count; ++j) {
    row[j] = exponential((row[j] - largest) * inverse_temperature);
    sum += static_cast<double>(row[j]);
  }
  const T factor = static_cast<T>(weight / (temperature * sum));
#pragma omp simd
  for (std::int64_t j = 0; j < count; ++j) row[j] *= factor;
  row[positive] -= static_cast<T>(weight / temperature);
  return std::log(sum) - numerator;
}

template <typename T, typename From>
double loss_in(const ContrastiveInput<From>& input, const LogVarRanges& ranges, From* const* gradient) {
  constexpr std::int64_t width = VectorOf<T>::width;
  const std::int64_t batch = input.batch, dimension = input.dimension;
  const std::int64_t vectors = (dimension + width - 1) / width;
  const std::int64_t roles = input.terms.roles(), rows = roles * batch + padding_rows;

  ContrastiveBlock blocks[3] = {{1, 0}, {}, {}};
  int block_count = 1;
  if (input.terms.contradiction) blocks[block_count++] = {2, 0};
  if (input.terms.reversed) blocks[block_count++] = {0, 1};

  Buffer<T> packed(rows * vectors * PackedGaussians<T>::parts * width);
  Buffer<T> mean_scale(vectors * width);
  pack(input, ranges, vectors, packed.get(), mean_scale.get());
  const PackedGaussians<T> gaussians{packed.get(), mean_scale.get(), rows, vectors, dimension};

  const std::int64_t sums_size = gradient ? rows * vectors * 3 * width : 1;
  Buffer<T> candidate_sums(sums_size), anchor_sums(sums_size);
  candidate_sums.clear(sums_size);
  anchor_sums.clear(sums_size);
  const GradientSums<T> sums{candidate_sums.get(), anchor_sums.get()};

  const std::int64_t own = input.anchor_end - input.anchor_begin;
  const std::int64_t held = own < anchor_block ? own : anchor_block;
  // An anchor's similarities with the candidates of all blocks stand in one row.
  const bool joint = input.similarity == SimilarityKind::joint;
  const std::int64_t candidates = block_count * batch;
  Buffer<T> similarities((held > 0 ? held : 1) * candidates);
  Buffer<T> slopes(joint && held > 0 ? held * candidates : 1);
  Buffer<double> losses(anchor_block);
  const double weight = 1.0 / static_cast<double>(batch);
  double total = 0;
  for (std::int64_t begin = input.anchor_begin; begin < input.anchor_end; begin += anchor_block) {
    const std::int64_t anchors = input.anchor_end - begin < anchor_block ? input.anchor_end - begin : anchor_block;
    for (int b = 0; b < block_count; ++b)
      block_similarities(gaussians, blocks[b], batch, begin, anchors, input.similarity, similarities.get() + b * batch,
                         candidates);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < anchors; ++i) {
      T* row = similarities.get() + i * candidates;
      T* slope_row = joint ? slopes.get() + i * candidates : nullptr;
      // joint: d sim / d kl = -sim^2, needed after the softmax has overwritten sim.
      if (joint)
        for (std::int64_t j = 0; j < candidates; ++j) slope_row[j] = -row[j] * row[j];
      losses.get()[i] = softmax_row(row, candidates, begin + i, input.temperature, weight);
      // per_dimension: d sim / d kl_d = -4 / (dimension * x^2), with x = 2 (1 + kl_d).
      const T slope = static_cast<T>(-4.0 / static_cast<double>(dimension));
      for (std::int64_t j = 0; j < candidates; ++j) row[j] *= joint ? slope_row[j] : slope;
    }
    for (std::int64_t i = 0; i < anchors; ++i) total += losses.get()[i];
    if (gradient) {
      for (int b = 0; b < block_count; ++b)
        add_block_gradient(gaussians, blocks[b], batch, begin, anchors, input.similarity,
                           similarities.get() + b * batch, candidates, sums);
    }
  }
  if (gradient) {
    if constexpr (sizeof(T) == sizeof(From)) {
      finish_gradient(gaussians, sums, roles * batch, batch, gradient);
    } else {
      const std::int64_t size = batch * 2 * dimension;
      Buffer<T> wide(roles * size);
      T* wide_gradient[3] = {};
      for (std::int64_t role = 0; role < roles; ++role) wide_gradient[role] = wide.get() + role * size;
      finish_gradient(gaussians, sums, roles * batch, batch, wide_gradient);
      for (std::int64_t role = 0; role < roles; ++role)
        for (std::int64_t i = 0; i < size; ++i) gradient[role][i] = static_cast<From>(wide_gradient[role][i]);
    }
  }
  return total * weight;
}

}  // namespace

template <typename T>
double contrastive_loss(const ContrastiveInput<T>& input, T* const* gradient) {
  LogVarRanges ranges(input.dimension);
  find_log_var_ranges(input, ranges);
  double spread = 0;
  for (std::int64_t d = 0; d < input.dimension; ++d) {
    const double here = ranges.high.get()[d] - ranges.low.get()[d];
    spread = here > spread ? here : spread;
  }
  if (sizeof(T) == sizeof(float) && spread > float_spread) return loss_in<double>(input, ranges, gradient);
  return loss_in<T>(input, ranges, gradient);
}

template double contrastive_loss<float>(const ContrastiveInput<float>&, float* const*);
template double contrastive_loss<double>(const ContrastiveInput<double>&, double* const*);

}  // namespace gausscse::kernels::GAUSSCSE_ISA
