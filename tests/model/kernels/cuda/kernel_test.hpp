#pragma once

#include "base/philox.hpp"
#include "model/kernels/kernels.hpp"
#include "tests/support/cuda_on_cpu/launch.hpp"
#include "tests/support/testing.hpp"

/// Common parts of the tests of GPU kernels: they run on CPUs (tests/support/cuda_on_cpu) and are compared with the
/// CPU's kernels, which are compared with PyTorch.
namespace gausscse {

/// Memory of exactly the size that was asked for, full of a pattern that is not a number.
class ExactScratch final : public kernels::ScratchMemory {
 public:
  void* get(std::size_t bytes) override {
    memory_ = std::make_unique<std::byte[]>(bytes);
    bytes_ = bytes;
    std::fill_n(memory_.get(), bytes, std::byte{0xFF});
    return memory_.get();
  }
  std::size_t bytes() const override { return bytes_; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t bytes_ = 0;
};

/// Context of kernels on CPUs in place of a GPU.
class GpuOnCpu {
 public:
  kernels::KernelContext context() { return {nullptr, &scratch_}; }

 private:
  ExactScratch scratch_;
};

/// Calls `test` for three orders of threads and blocks.
template <typename Test>
void for_each_order(const Test& test) {
  for (const std::uint32_t seed : {11u, 222u, 3333u}) {
    SCOPED_TRACE("order of threads " + std::to_string(seed));
    cuda_on_cpu::set_order(seed);
    test();
  }
}

inline void put_as(double value, double& to) {
  to = value;
}
inline void put_as(double value, float& to) {
  to = static_cast<float>(value);
}
/// By cutting off: any bfloat16 near the value will do.
inline void put_as(double value, kernels::Bfloat16& to) {
  const auto rounded = static_cast<float>(value);
  std::uint32_t bits;
  std::memcpy(&bits, &rounded, sizeof bits);
  to.bits = static_cast<std::uint16_t>(bits >> 16);
}
inline double as_double(double value) {
  return value;
}
inline double as_double(float value) {
  return static_cast<double>(value);
}
inline double as_double(kernels::Bfloat16 value) {
  const std::uint32_t bits = std::uint32_t{value.bits} << 16;
  float number;
  std::memcpy(&number, &bits, sizeof number);
  return static_cast<double>(number);
}

/// Values in [-scale, scale), each a T exactly.
template <typename T>
std::vector<T> random_values(std::int64_t count, std::uint64_t seed, double scale = 1) {
  PhiloxStream stream(seed, 0);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) put_as((2 * stream.uniform() - 1) * scale, value);
  return values;
}

/// Returns the numbers as another type.
template <typename To, typename From>
std::vector<To> converted(const std::vector<From>& from) {
  std::vector<To> to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) put_as(as_double(from[i]), to[i]);
  return to;
}

/// Expects each number within `tolerance` times the larger of 1 and the largest expected magnitude.
template <typename Actual, typename Expected>
void expect_near(const std::vector<Actual>& actual, const std::vector<Expected>& expected, double tolerance,
                 const char* what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double largest = 1;
  for (const Expected& value : expected) largest = std::max(largest, std::abs(as_double(value)));
  for (std::size_t i = 0; i < actual.size(); ++i)
    // Not a number is never near.
    ASSERT_TRUE(std::abs(as_double(actual[i]) - as_double(expected[i])) <= tolerance * largest)
        << what << "[" << i << "] is " << as_double(actual[i]) << ", expected " << as_double(expected[i]);
}

/// Returns the largest allowed difference of a GPU's kernel from the CPU's in float64, and, for bfloat16, from the
/// CPU's in float32 and bfloat16.
template <typename T, typename Factor>
constexpr double kernel_tolerance() {
  return sizeof(Factor) == 2 ? 0x1p-7 : sizeof(T) == 4 ? 2e-6 : 1e-12;
}

/// Arrays that a kernel is called with, by their names: values, of type T, and factors of matmuls, of type Factor.
///
///     const ArrayList arrays = ArrayList().factor("x", count, 4).value("bias", width).written_factor("out", count);
class ArrayList {
 public:
  struct Entry {
    std::string name;
    std::int64_t count;
    double scale;
    bool is_factor, is_written;
  };

  /// Adds an array of random numbers in [-scale, scale) that is read.
  ArrayList& value(const char* name, std::int64_t count, double scale = 1) {
    return add({name, count, scale, false, false});
  }
  ArrayList& factor(const char* name, std::int64_t count, double scale = 1) {
    return add({name, count, scale, true, false});
  }
  /// Adds one that is overwritten or added to, and then compared.
  ArrayList& written(const char* name, std::int64_t count, double scale = 1) {
    return add({name, count, scale, false, true});
  }
  ArrayList& written_factor(const char* name, std::int64_t count, double scale = 1) {
    return add({name, count, scale, true, true});
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  ArrayList& add(const Entry& entry) {
    entries_.push_back(entry);
    return *this;
  }
  std::vector<Entry> entries_;
};

/// The arrays of a list on one device.
template <typename T, typename Factor>
class Arrays {
 public:
  explicit Arrays(const ArrayList& list) {
    std::uint64_t seed = 0;
    for (const ArrayList::Entry& entry : list.entries()) {
      ++seed;
      if (entry.is_factor)
        factors_[entry.name] = random_values<Factor>(entry.count, seed, entry.scale);
      else
        values_[entry.name] = random_values<T>(entry.count, seed, entry.scale);
    }
  }
  /// Makes arrays of the same numbers.
  template <typename OtherT, typename OtherFactor>
  explicit Arrays(const Arrays<OtherT, OtherFactor>& other) {
    for (const auto& [name, array] : other.values()) values_[name] = converted<T>(array);
    for (const auto& [name, array] : other.factors()) factors_[name] = converted<Factor>(array);
  }

  /// Returns an array; null where the list has none of the name.
  T* value(const char* name) {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : found->second.data();
  }
  Factor* factor(const char* name) {
    const auto found = factors_.find(name);
    return found == factors_.end() ? nullptr : found->second.data();
  }
  const std::map<std::string, std::vector<T>>& values() const { return values_; }
  const std::map<std::string, std::vector<Factor>>& factors() const { return factors_; }

 private:
  std::map<std::string, std::vector<T>> values_;
  std::map<std::string, std::vector<Factor>> factors_;
};

/// Compares the output of the GPU's kernel in (T, Factor) with that of the CPU's in (Other, OtherFactor), and the bits
/// of all orders of threads with each other. `run(arrays, kernel)` calls a kernel without its context. Values of
/// float32 may be `of_floats` away.
template <typename T, typename Factor, typename Other, typename OtherFactor, typename Cpu, typename Gpu, typename Run>
void expect_same(const ArrayList& list, const Cpu& on_cpu, const Gpu& on_gpu, const Run& run,
                 double of_floats = kernel_tolerance<T, T>()) {
  const Arrays<T, Factor> given(list);
  Arrays<Other, OtherFactor> expected(given);
  run(expected, [&](auto... arguments) { on_cpu(kernels::on_cpu, arguments...); });
  std::map<std::string, std::vector<T>> first;
  for_each_order([&] {
    Arrays<T, Factor> found = given;
    GpuOnCpu gpu;
    run(found, [&](auto... arguments) { on_gpu(gpu.context(), arguments...); });
    for (const ArrayList::Entry& entry : list.entries()) {
      const char* const name = entry.name.c_str();
      if (!entry.is_written) continue;
      if (entry.is_factor)
        expect_near(found.factors().at(name), expected.factors().at(name), kernel_tolerance<T, Factor>(), name);
      else
        expect_near(found.values().at(name), expected.values().at(name), sizeof(T) == 4 ? of_floats : 1e-12, name);
    }
    if (first.empty()) first = found.values();
    EXPECT_EQ(found.values(), first);
  });
}

/// Calls `test` with the types T, Factor, Other and OtherFactor of `expect_same`: float64 on both devices, float32 with
/// float64 on the CPU, and bfloat16 factors on both.
template <typename Test>
void for_each_type(const Test& test) {
  using kernels::Bfloat16;
  test.template operator()<double, double, double, double>();
  test.template operator()<float, float, double, double>();
  test.template operator()<float, Bfloat16, float, Bfloat16>();
}

/// Sentences of these lengths back to back.
class PackedSentences {
 public:
  explicit PackedSentences(const std::vector<std::int32_t>& lengths) {
    for (const std::int32_t length : lengths) {
      for (std::int32_t i = 0; i < length; ++i) {
        row_samples_.push_back(sample_of(samples_.size()));
        positions_.push_back(static_cast<std::uint32_t>(i));
      }
      samples_.push_back(sample_of(samples_.size()));
      offsets_.push_back(offsets_.back() + length);
      longest_ = std::max<std::int64_t>(longest_, length);
    }
  }

  std::int64_t tokens() const { return offsets_.back(); }
  std::int64_t sentences() const { return static_cast<std::int64_t>(samples_.size()); }
  kernels::PackedShape shape() const {
    return {offsets_.data(), samples_.data(), sentences(), tokens(), longest_, nullptr};
  }
  kernels::RowIdentity rows() const { return {row_samples_.data(), positions_.data()}; }

 private:
  static std::uint32_t sample_of(std::size_t sentence) { return static_cast<std::uint32_t>(7 * sentence + 3); }

  std::vector<std::int32_t> offsets_{0};
  std::vector<std::uint32_t> samples_, row_samples_, positions_;
  std::int64_t longest_ = 0;
};

/// All rows of a matrix as one shard.
class OneShard {
 public:
  explicit OneShard(std::int64_t rows) : offsets_{0, rows} {}
  kernels::RowShards rows() const { return {offsets_, 1}; }

 private:
  std::int64_t offsets_[2];
};

}  // namespace gausscse
