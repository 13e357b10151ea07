// Rates of the matmuls of MiniLM's layers alone: one JSON line, in operations per second over all threads.
//   benchmark_products [--precision bf16] [--threads 0] [--rows 3264] [--repeats 20]
//
//   instructions       values in registers: the machine's peak (instruction_rates.hpp)
//   forward            gausscse's products of a layer's weights with that number of rows
//   training           the same with the products of the backward
//   libtorch_forward, libtorch_training
//                      the same by LibTorch's matmul
//
// With int8 the line has the first two alone. Its products write float32. GAUSSCSE_BF16_KERNEL chooses the kernel of
// bf16.

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>
#include <string>

#include "base/error.hpp"
#include "benchmarks/products/instruction_rates.hpp"
#include "model/choices.hpp"
#include "model/matmul/cpu/int8_matmul.hpp"
#include "model/matmul/matmuls.hpp"
#include "model/parallel_tasks.hpp"

namespace {

/// A weight [rows, columns] of a layer of MiniLM.
struct Weight {
  std::int64_t rows, columns;
};
constexpr Weight weights[] = {{3 * 384, 384}, {384, 384}, {1536, 384}, {384, 1536}};

/// Least times of the products of a layer's forward and of its backward.
struct LayerSeconds {
  double forward = 0, backward = 0;
};

/// Returns the least processor time of a run, a thread's part of it, which other programs hardly change.
double least_seconds(int repeats, const std::function<void()>& compute) {
  double least = 1e30;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    const std::clock_t begin = std::clock();
    compute();
    // The first run may allocate memory and generate code.
    if (repeat > 0) least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least / at::get_num_threads();
}

LayerSeconds own_products(std::int64_t rows, gausscse::Precision precision, int repeats) {
  LayerSeconds seconds;
  for (const Weight& shape : weights) {
    const at::Tensor parameters = at::randn({shape.rows * shape.columns}, at::kFloat),
                     weight = parameters.view({shape.rows, shape.columns}), sum = at::zeros_like(weight);
    const auto products = gausscse::make_matmuls(parameters, precision);
    const at::ScalarType type = products->product_type();
    const at::Tensor x = at::randn({rows, shape.columns}, at::kFloat).to(type),
                     grad = at::randn({rows, shape.rows}, at::kFloat).to(type),
                     out = at::empty({rows, shape.rows}, type), grad_x = at::empty({rows, shape.columns}, type);
    const std::int64_t offsets[] = {0, rows};
    const gausscse::kernels::RowShards shards{offsets, 1};
    seconds.forward += least_seconds(repeats, [&] { products->forward(products->prepare(x, shards, 0), weight, out); });
    seconds.backward += least_seconds(repeats, [&] {
      const auto factor = products->prepare(grad, shards, 0);
      products->input_gradient(factor, weight, grad_x);
      products->weight_gradient(factor, products->prepare(x, shards, 1), sum);
    });
  }
  return seconds;
}

/// Returns the forward's seconds with weights and activations in bytes.
LayerSeconds own_int8_products(std::int64_t rows, int repeats) {
  using gausscse::int8_matmul::block_rows;
  LayerSeconds seconds;
  for (const Weight& shape : weights) {
    const auto weight = gausscse::int8_matmul::pack_weight(at::randn({shape.rows, shape.columns}, at::kFloat),
                                                           at::randn({shape.rows}, at::kFloat), {});
    const gausscse::kernels::Int8Linear layer = weight.linear();
    const gausscse::kernels::Int8Kernels& kernels = gausscse::kernels::int8_kernels();
    const at::Tensor values = at::randn({rows, shape.columns}, at::kFloat),
                     out = at::empty({rows, shape.rows}, at::kFloat);
    gausscse::int8_matmul::RowsMemory memory;
    const gausscse::kernels::ByteRows x = memory.get(rows, shape.columns);
    kernels.quantise(values.const_data_ptr<float>(), rows, shape.columns, x);
    float* const to = out.mutable_data_ptr<float>();
    seconds.forward += least_seconds(repeats, [&] {
      gausscse::run_tasks((rows + block_rows - 1) / block_rows, at::get_num_threads(), [&](std::int64_t i, int) {
        const gausscse::int8_matmul::TilesInUse tiles;
        const std::int64_t row = i * block_rows;
        kernels.linear({x.bytes + row * x.stride, x.stride, x.scales + row}, std::min(block_rows, rows - row), layer,
                       to + row * shape.rows, shape.rows);
      });
    });
  }
  return seconds;
}

LayerSeconds libtorch_products(std::int64_t rows, at::ScalarType type, int repeats) {
  LayerSeconds seconds;
  for (const Weight& shape : weights) {
    const at::Tensor weight = at::randn({shape.rows, shape.columns}, at::kFloat).to(type),
                     x = at::randn({rows, shape.columns}, at::kFloat).to(type),
                     grad = at::randn({rows, shape.rows}, at::kFloat).to(type);
    at::Tensor out = at::empty({rows, shape.rows}, type), grad_x = at::empty({rows, shape.columns}, type),
               grad_weight = at::empty({shape.rows, shape.columns}, type);
    seconds.forward += least_seconds(repeats, [&] { at::mm_out(out, x, weight.t()); });
    seconds.backward += least_seconds(repeats, [&] {
      at::mm_out(grad_x, grad, weight);
      at::mm_out(grad_weight, grad.t(), x);
    });
  }
  return seconds;
}

void print_rates(const char* prefix, std::int64_t rows, const LayerSeconds& seconds) {
  double operations = 0;
  for (const Weight& shape : weights) operations += 2.0 * static_cast<double>(rows * shape.rows * shape.columns);
  std::printf(", \"%sforward\": %.4g", prefix, operations / seconds.forward);
  if (seconds.backward > 0)
    std::printf(", \"%straining\": %.4g", prefix, 3 * operations / (seconds.forward + seconds.backward));
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options{
      {"--precision", "bf16"}, {"--threads", "0"}, {"--rows", "3264"}, {"--repeats", "20"}};
  for (int i = 1; i < argc; ++i) {
    if (!options.count(argv[i]) || i + 1 == argc) {
      std::fprintf(stderr, "benchmark_products: unknown option or missing value: %s\n", argv[i]);
      return 2;
    }
    options[argv[i]] = argv[i + 1];
    ++i;
  }
  try {
    const std::string name = options["--precision"];
    const auto precision = gausscse::parse_choice<gausscse::Precision>("--precision", name);
    if (std::stoi(options["--threads"]) > 0) at::set_num_threads(std::stoi(options["--threads"]));
    const std::int64_t rows = std::stol(options["--rows"]);
    const int repeats = std::stoi(options["--repeats"]), threads = at::get_num_threads();
    std::printf("{\"precision\": \"%s\", \"threads\": %d, \"rows\": %ld, \"instructions\": %.4g", name.c_str(), threads,
                static_cast<long>(rows), gausscse::benchmarks::instruction_rate(name, threads));
    if (precision == gausscse::Precision::int8) {
      print_rates("", rows, own_int8_products(rows, repeats));
    } else {
      print_rates("", rows, own_products(rows, precision, repeats));
      print_rates(
          "libtorch_", rows,
          libtorch_products(rows, precision == gausscse::Precision::bfloat16 ? at::kBFloat16 : at::kFloat, repeats));
    }
    std::printf("}\n");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "benchmark_products: %s\n", error.what());
    return 2;
  }
}
