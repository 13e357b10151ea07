#include "model/encoder/int8_layers.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>

#include "model/device/device_kernels.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

/// A layer's parameters for the kernels. Its norms have no bytes yet.
struct Int8Layers::Layer {
  kernels::Int8Linear qkv;      ///< keys and values alone, where queries are of first tokens
  kernels::Int8Linear queries;  ///< queries of first tokens
  kernels::Int8Linear attention, intermediate, output;
  kernels::NormToBytes attention_norm, output_norm;
  AttentionPositions positions;
};

/// Computation of one call.
struct Int8Layers::Run {
  kernels::PackedShape shape;
  kernels::NormToBytes embedded_norm;
  const std::uint32_t* positions;  ///< [tokens]
  std::vector<Layer> layers;
  float* values;            ///< hidden states [tokens, hidden]
  kernels::ByteRows bytes;  ///< the same in bytes
  float* first_values;      ///< [sentences, hidden], those behind the last layer; null where it computes all tokens
};

/// Consecutive sentences and the rows of their tokens.
struct Int8Layers::Part {
  std::int64_t first_sentence, sentences, first_row, rows;
};

namespace {

using int8_matmul::block_rows;

kernels::ByteRows rows_from(const kernels::ByteRows& all, std::int64_t row) {
  return {all.bytes + row * all.stride, all.stride, all.scales + row};
}

/// Calls use(row, count, block) for blocks of about as many rows each.
template <typename Tasks, typename Use>
void for_each_block(const Tasks& tasks, std::int64_t rows, const Use& use) {
  const std::int64_t blocks = (rows + block_rows - 1) / block_rows;
  tasks(blocks, [&](std::int64_t i, auto& block) {
    const std::int64_t first = rows * i / blocks;
    use(first, rows * (i + 1) / blocks - first, block);
  });
}

/// Cuts the sentences into parts of up to `block_rows` tokens, or of one longer sentence.
template <typename Part>
std::vector<Part> parts_of(const kernels::PackedShape& shape) {
  std::vector<Part> parts;
  for (std::int64_t s = 0; s < shape.sentences; ++s) {
    const std::int64_t first = shape.offsets[s], tokens = shape.offsets[s + 1] - first;
    if (parts.empty() || parts.back().rows + tokens > block_rows) parts.push_back({s, 0, first, 0});
    ++parts.back().sentences;
    parts.back().rows += tokens;
  }
  return parts;
}

/// Returns the norm with the rows of bytes that it writes.
kernels::NormToBytes to(const kernels::ByteRows& bytes, kernels::NormToBytes norm) {
  norm.bytes = bytes;
  return norm;
}

}  // namespace

kernels::NormToBytes Int8Layers::norm(const ops::LayerNormParameters& norm, const at::Tensor& factors,
                                      bool keeps_input) const {
  return {.gamma = norm.gamma.const_data_ptr<float>(),
          .beta = norm.beta.const_data_ptr<float>(),
          .epsilon = static_cast<float>(config_.layer_norm_eps),
          .factors = factors.const_data_ptr<float>(),
          .keeps_input = keeps_input,
          .bytes = {}};
}

Int8Layers::Layer Int8Layers::layer(std::int64_t index, const LayerParameters& parameters, const Input& input,
                                    bool first_tokens) {
  const at::Tensor of_input = input.column_factors[2 * index], of_attended = input.column_factors[2 * index + 1];
  const std::int64_t hidden = config_.hidden_size;
  const bool norm_first = config_.parts().norm_first;
  const auto packed = [&](const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& factors) {
    return weights_.packed(weight, bias, factors).linear();
  };
  const auto part_of_qkv = [&](std::int64_t first, std::int64_t rows) {
    return packed(parameters.qkv_weight.narrow(0, first, rows), parameters.qkv_bias.narrow(0, first, rows), of_input);
  };
  return {.qkv = first_tokens ? part_of_qkv(hidden, 2 * hidden) : part_of_qkv(0, 3 * hidden),
          .queries = first_tokens ? part_of_qkv(0, hidden) : kernels::Int8Linear{},
          .attention = packed(parameters.attention_weight, parameters.attention_bias, {}),
          .intermediate = packed(parameters.intermediate_weight, parameters.intermediate_bias, of_attended),
          .output = packed(parameters.output_weight, parameters.output_bias, {}),
          .attention_norm = norm(parameters.attention_norm, of_attended, norm_first),
          .output_norm = norm(parameters.output_norm, input.column_factors[2 * index + 2],
                              norm_first && index + 1 < config_.layers),
          .positions = input.positions(index)};
}

void Int8Layers::run_on_threads(std::int64_t count, const std::function<void(std::int64_t i, Block& block)>& use) {
  const int threads = at::get_num_threads();
  blocks_.resize(std::max(blocks_.size(), static_cast<std::size_t>(threads)));
  run_tasks(count, threads, [&](std::int64_t i, int thread) {
    const int8_matmul::TilesInUse tiles;
    use(i, blocks_[static_cast<std::size_t>(thread)]);
  });
}

void Int8Layers::normalize_embeddings(const Run& run, const Part& part, const Tasks& tasks) const {
  for_each_block(tasks, part.rows, [&](std::int64_t block_row, std::int64_t count, Block&) {
    const std::int64_t row = part.first_row + block_row, hidden = config_.hidden_size;
    kernels::int8_kernels().normalize(run.values + row * hidden, count, hidden,
                                      to(rows_from(run.bytes, row), run.embedded_norm));
  });
}

float* Int8Layers::attend(const Run& run, std::size_t index, const Part& part, PartMemory& memory,
                          const Tasks& tasks) const {
  const kernels::Int8Kernels& kernels = kernels::int8_kernels();
  const Layer& layer = run.layers[index];
  const std::int64_t hidden = config_.hidden_size;
  const bool first_tokens = layer.queries.panels;
  const std::int64_t stride = layer.qkv.columns;
  float* const qkv = memory.qkv.get<float>(part.rows * stride);
  float* const queries = first_tokens ? memory.queries.get<float>(part.sentences * hidden) : nullptr;
  float* const context = memory.context.get<float>((first_tokens ? part.sentences : part.rows) * hidden);
  for_each_block(tasks, part.rows, [&](std::int64_t row, std::int64_t count, Block&) {
    kernels.linear(rows_from(run.bytes, part.first_row + row), count, layer.qkv, qkv + row * stride, stride);
  });
  if (first_tokens)
    for_each_block(tasks, part.sentences, [&](std::int64_t first, std::int64_t count, Block& block) {
      const kernels::ByteRows rows = block.narrow_bytes.get(count, hidden);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t sentence = part.first_sentence + first + i, token = run.shape.offsets[sentence];
        std::copy_n(run.bytes.bytes + token * rows.stride, rows.stride, rows.bytes + i * rows.stride);
        rows.scales[i] = run.bytes.scales[token];
        std::copy_n(run.values + token * hidden, hidden, run.first_values + sentence * hidden);
      }
      kernels.linear(rows, count, layer.queries, queries + first * hidden, hidden);
    });
  if (layer.positions.angles.defined()) {
    // Queries of first tokens stay as they are, by an angle of 0.
    const kernels::RotatedColumns columns{.rows = part.rows,
                                          .stride = stride,
                                          .first = 0,
                                          .heads = first_tokens ? config_.heads : 2 * config_.heads,
                                          .head_size = hidden / config_.heads};
    kernels.rotate(qkv, columns, layer.positions.angles.const_data_ptr<float>(), run.positions + part.first_row);
  }
  const float* const relative_bias = ops::data<const float>(layer.positions.relative.table);
  tasks(part.sentences, [&](std::int64_t s, Block&) {
    const std::int64_t sentence = part.first_sentence + s, token = run.shape.offsets[sentence];
    const std::int64_t row = token - part.first_row, tokens = run.shape.offsets[sentence + 1] - token;
    const float* const keys = qkv + row * stride + (first_tokens ? 0 : hidden);
    kernels.attention({.heads = config_.heads,
                       .head_size = hidden / config_.heads,
                       .relative_bias = relative_bias,
                       .queries = first_tokens ? 1 : tokens,
                       .tokens = run.shape.attended ? run.shape.attended[sentence] : tokens,
                       .query = first_tokens ? queries + s * hidden : qkv + row * stride,
                       .query_stride = first_tokens ? hidden : stride,
                       .key = keys,
                       .value = keys + hidden,
                       .stride = stride,
                       .context = context + (first_tokens ? s : row) * hidden,
                       .farthest = layer.positions.farthest});
  });
  return context;
}

void Int8Layers::forward_part(const Run& run, std::size_t index, const Part& part, PartMemory& memory,
                              const Tasks& tasks) const {
  const float* const context = attend(run, index, part, memory, tasks);
  const kernels::Int8Kernels& kernels = kernels::int8_kernels();
  const Layer& layer = run.layers[index];
  const std::int64_t hidden = config_.hidden_size, wide = config_.intermediate_size;
  const bool first_tokens = layer.queries.panels;
  const std::int64_t rows = first_tokens ? part.sentences : part.rows;
  float* const values =
      first_tokens ? run.first_values + part.first_sentence * hidden : run.values + part.first_row * hidden;
  for_each_block(tasks, rows, [&](std::int64_t row, std::int64_t count, Block& block) {
    const kernels::ByteRows narrow = block.narrow_bytes.get(count, hidden),
                            wide_bytes = block.wide_bytes.get(count, wide);
    float* const of_block = values + row * hidden;
    kernels.quantise(context + row * hidden, count, hidden, narrow);
    kernels.add_linear(narrow, count, layer.attention, of_block);
    kernels.normalize(of_block, count, hidden, to(narrow, layer.attention_norm));
    float* const activation = block.wide.get<float>(count * layer.intermediate.columns);
    if (const auto& gate = config_.parts().gate)
      kernels.gate_linear(narrow, count, layer.intermediate, *gate, activation, wide_bytes);
    else
      kernels.gelu_linear(narrow, count, layer.intermediate, activation, wide_bytes);
    kernels.add_linear(wide_bytes, count, layer.output, of_block);
    kernels.normalize(of_block, count, hidden,
                      to(first_tokens ? narrow : rows_from(run.bytes, part.first_row + row), layer.output_norm));
  });
}

at::Tensor Int8Layers::forward(const Input& input, const std::deque<EncoderLayer>& layers, const Visitor& visitor) {
  const std::int64_t tokens = input.batch.tokens(), hidden = config_.hidden_size;
  at::Tensor result = input.embedded;
  Run run{.shape = input.batch.shape(),
          .embedded_norm = norm(input.embedded_norm, input.column_factors[0], false),
          .positions = ops::data<const std::uint32_t>(input.batch.positions),
          .layers = {},
          .values = result.mutable_data_ptr<float>(),
          .bytes = bytes_.get(tokens, hidden),
          .first_values = nullptr};
  for (const EncoderLayer& of_encoder : layers) {
    const auto index = static_cast<std::int64_t>(run.layers.size());
    const bool first_tokens = input.first_tokens && run.layers.size() + 1 == layers.size();
    run.layers.push_back(layer(index, of_encoder.parameters(), input, first_tokens));
  }
  if (input.first_tokens) {
    result = first_rows_.get(input.batch.sentences(), hidden, at::kFloat);
    run.first_values = result.mutable_data_ptr<float>();
  }

  const auto parts = parts_of<Part>(run.shape);
  // Step 0 are the embeddings.
  const auto compute = [&](std::size_t first_step, std::size_t end_step) {
    const auto steps = [&](const Part& part, PartMemory& memory, const Tasks& tasks) {
      for (std::size_t step = first_step; step < end_step; ++step)
        if (step == 0)
          normalize_embeddings(run, part, tasks);
        else
          forward_part(run, step - 1, part, memory, tasks);
    };
    if (parts.size() >= static_cast<std::size_t>(at::get_num_threads()))
      run_on_threads(static_cast<std::int64_t>(parts.size()), [&](std::int64_t i, Block& block) {
        steps(parts[static_cast<std::size_t>(i)], block.part, [&](std::int64_t count, const auto& use) {
          for (std::int64_t task = 0; task < count; ++task) use(task, block);
        });
      });
    else
      steps({0, run.shape.sentences, 0, tokens}, shared_,
            [&](std::int64_t count, const auto& use) { run_on_threads(count, use); });
  };
  if (!visitor) {
    compute(0, layers.size() + 1);
    return result;
  }
  for (std::size_t step = 0; step <= layers.size(); ++step) {
    compute(step, step + 1);
    visitor(static_cast<std::int64_t>(step), result);
  }
  return result;
}

std::int64_t Int8Layers::bytes() const {
  const auto of_part = [](const PartMemory& memory) {
    return memory.qkv.bytes() + memory.queries.bytes() + memory.context.bytes();
  };
  std::int64_t sum = bytes_.bytes() + of_part(shared_) + first_rows_.bytes();
  for (const Block& block : blocks_)
    sum += of_part(block.part) + block.wide.bytes() + block.narrow_bytes.bytes() + block.wide_bytes.bytes();
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
