#include "model/encoder/int8_layers.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "model/ops/device_kernels.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

namespace {

kernels::Bfloat16* bfloat16_data(const at::Tensor& x) {
  return reinterpret_cast<kernels::Bfloat16*>(x.mutable_data_ptr<at::BFloat16>());
}

/// Returns these rows of `all`, in `memory`.
int8_products::Rows selected_rows(const int8_products::Rows& all, const at::Tensor& index, std::int64_t columns,
                                  int8_products::RowsMemory& memory) {
  int8_products::Rows chosen = memory.get(index.numel(), columns);
  at::index_select_out(chosen.bytes, all.bytes, 0, index);
  at::index_select_out(chosen.scales, all.scales, 0, index);
  return chosen;
}

}  // namespace

Int8Layers::Int8Layers(const EncoderConfig& config, int8_products::Weights& weights)
    : config_(config), weights_(weights), no_qkv_bias_(at::zeros({3 * config.hidden_size}, at::kFloat)) {}

void Int8Layers::for_each_block(std::int64_t rows,
                                const std::function<void(std::int64_t row, std::int64_t count, Block& block)>& use) {
  const int threads = at::get_num_threads();
  blocks_.resize(std::max(blocks_.size(), static_cast<std::size_t>(threads)));
  run_tasks(
      (rows + int8_products::block_rows - 1) / int8_products::block_rows, threads, [&](std::int64_t i, int thread) {
        const int8_products::TilesInUse tiles;
        use(i * int8_products::block_rows, std::min(int8_products::block_rows, rows - i * int8_products::block_rows),
            blocks_[static_cast<std::size_t>(thread)]);
      });
}

std::int32_t* Int8Layers::sums_of(Block& block, const int8_products::Weight& weight) {
  return block.sums.get(int8_products::block_rows, weight.sums_stride(), at::kInt).mutable_data_ptr<std::int32_t>();
}

kernels::NormToBytes Int8Layers::norm_to(const ops::LayerNormParameters& norm, std::int64_t row_of_factors, float* out,
                                         const kernels::ByteRows& bytes) const {
  return {.gamma = norm.gamma.const_data_ptr<float>(),
          .beta = norm.beta.const_data_ptr<float>(),
          .epsilon = static_cast<float>(config_.layer_norm_eps),
          .factors = column_factors_.const_data_ptr<float>() + row_of_factors * config_.hidden_size,
          .out = out,
          .bytes = bytes};
}

void Int8Layers::multiply(const int8_products::Rows& rows, std::int64_t count, const int8_products::Weight& weight,
                          const at::Tensor& out) {
  for_each_block(count, [&](std::int64_t row, std::int64_t of_block, Block& block) {
    kernels::int8_kernels().round_sums(
        int8_products::multiply(rows.from(row), of_block, weight, sums_of(block, weight)),
        bfloat16_data(out) + row * out.stride(0), out.stride(0));
  });
}

Int8Layers::States Int8Layers::begin(const at::Tensor& values, const ops::LayerNormParameters& norm,
                                     const at::Tensor& column_factors) {
  column_factors_ = column_factors;
  const std::int64_t hidden = config_.hidden_size;
  States states{values, bytes_[next_].get(values.size(0), hidden)};
  next_ = 1 - next_;
  float* const data = values.mutable_data_ptr<float>();
  for_each_block(values.size(0), [&](std::int64_t row, std::int64_t count, Block&) {
    float* const rows = data + row * hidden;
    kernels::int8_kernels().normalize(rows, count, hidden, norm_to(norm, 0, rows, states.bytes.from(row)));
  });
  return states;
}

Int8Layers::States Int8Layers::forward(std::int64_t index, const States& input, const LayerParameters& layer,
                                       const EncoderLayer::Call& call) {
  const std::int64_t hidden = config_.hidden_size, wide = config_.intermediate_size, tokens = input.values.size(0);
  const std::int64_t rows = call.first_tokens ? call.batch.sentences() : tokens;
  const at::Tensor factors = input_factors(index);
  const at::Tensor qkv = qkv_.get(tokens, 3 * hidden, at::kBFloat16);
  at::Tensor residual = input.values;
  if (call.first_tokens) {
    const at::Tensor& first = call.batch.first_tokens;
    multiply(input.bytes, tokens,
             weights_.packed(layer.qkv_weight.narrow(0, hidden, 2 * hidden),
                             layer.qkv_bias.narrow(0, hidden, 2 * hidden), factors),
             qkv.narrow(1, hidden, 2 * hidden));
    residual = first_rows_.get(rows, hidden, at::kFloat);
    at::index_select_out(residual, input.values, 0, first);
    const at::Tensor queries = queries_.get(rows, hidden, at::kBFloat16);
    multiply(selected_rows(input.bytes, first, hidden, bytes_[next_]), rows,
             weights_.packed(layer.qkv_weight.narrow(0, 0, hidden), layer.qkv_bias.narrow(0, 0, hidden), factors),
             queries);
    qkv.narrow(1, 0, hidden).index_copy_(0, first, queries);
  } else {
    multiply(input.bytes, tokens, weights_.packed(layer.qkv_weight, layer.qkv_bias, factors), qkv);
  }

  const at::Tensor context = context_.get(rows, hidden, at::kBFloat16);
  ops::attention(call.batch, {config_.heads, call.first_tokens, {}}, qkv, no_qkv_bias_, call.relative_position,
                 {context, {}});

  const int8_products::Weight& attention = weights_.packed(layer.attention_weight, layer.attention_bias, {});
  const int8_products::Weight& intermediate =
      weights_.packed(layer.intermediate_weight, layer.intermediate_bias, attended_factors(index));
  const int8_products::Weight& output = weights_.packed(layer.output_weight, layer.output_bias, {});
  const States result{values_[next_].get(rows, hidden, at::kFloat), bytes_[next_].get(rows, hidden)};
  next_ = 1 - next_;
  const float* const residual_values = residual.const_data_ptr<float>();
  float* const out = result.values.mutable_data_ptr<float>();
  for_each_block(rows, [&](std::int64_t row, std::int64_t count, Block& block) {
    const kernels::ByteRows narrow = block.narrow.get(int8_products::block_rows, hidden).from(0);
    const kernels::ByteRows wide_bytes = block.wide.get(int8_products::block_rows, wide).from(0);
    float* const attended = block.attended.get(int8_products::block_rows, hidden, at::kFloat).mutable_data_ptr<float>();
    float* const wide_row = block.wide_row.get(1, wide, at::kFloat).mutable_data_ptr<float>();
    kernels::int8_kernels().quantise(bfloat16_data(context) + row * hidden, hidden, count, hidden, narrow);
    kernels::int8_kernels().normalize_sums(int8_products::multiply(narrow, count, attention, sums_of(block, attention)),
                                           residual_values + row * hidden,
                                           norm_to(layer.attention_norm, 2 * index + 1, attended, narrow));
    kernels::int8_kernels().gelu_sums(
        int8_products::multiply(narrow, count, intermediate, sums_of(block, intermediate)), wide_row, wide_bytes);
    kernels::int8_kernels().normalize_sums(
        int8_products::multiply(wide_bytes, count, output, sums_of(block, output)), attended,
        norm_to(layer.output_norm, 2 * index + 2, out + row * hidden, result.bytes.from(row)));
  });
  return result;
}

std::int64_t Int8Layers::bytes() const {
  const auto of_rows = [](const int8_products::RowsMemory& memory) {
    return memory.bytes.bytes() + memory.scales.bytes();
  };
  std::int64_t sum = bytes_of({&qkv_, &queries_, &context_, &first_rows_, &values_[0], &values_[1]}) +
                     of_rows(bytes_[0]) + of_rows(bytes_[1]);
  for (const Block& block : blocks_)
    sum += bytes_of({&block.sums, &block.wide_row, &block.attended}) + of_rows(block.narrow) + of_rows(block.wide);
  return sum;
}

at::Tensor int8_column_factors(const std::vector<at::Tensor>& hidden_states) {
  const std::int64_t columns = hidden_states.front().size(1);
  at::Tensor factors = at::empty({static_cast<std::int64_t>(hidden_states.size()) + 1, columns});
  auto* factor = factors.mutable_data_ptr<float>();
  std::fill(factor, factor + factors.numel(), 1.0f);
  std::vector<float> largest, sorted;
  for (const at::Tensor& states : hidden_states) {
    const float* const values = ops::data<const float>(states);
    largest.assign(static_cast<std::size_t>(columns), 0.0f);
    for (std::int64_t i = 0; i < states.numel(); ++i) {
      float& of_column = largest[static_cast<std::size_t>(i % columns)];
      of_column = std::max(of_column, std::abs(values[i]));
    }
    sorted = largest;
    const auto median = sorted.begin() + (columns - 1) / 2;
    std::nth_element(sorted.begin(), median, sorted.end());
    for (const float of_column : largest) *factor++ = of_column > *median * 2 ? 0.5f : 1.0f;
  }
  return factors;
}

}  // namespace gausscse
