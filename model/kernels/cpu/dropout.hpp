#pragma once

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "model/kernels/cpu/vector.hpp"
#include "model/kernels/dropout_mask.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Register of words of 64 bits, of which only the lower halves count.
#if defined(__AVX512F__)
typedef std::uint64_t Lanes __attribute__((vector_size(64)));
#elif defined(__AVX2__)
typedef std::uint64_t Lanes __attribute__((vector_size(32)));
#else
typedef std::uint64_t Lanes __attribute__((vector_size(16)));
#endif
constexpr std::int64_t lanes = sizeof(Lanes) / sizeof(std::uint64_t);
constexpr std::uint64_t lower_half = 0xFFFFFFFF;

/// Products, of 64 bits, of the lower halves.
inline Lanes multiply_lower_halves(Lanes a, std::uint32_t b) {
  const Lanes factor = Lanes{} + b;
#if defined(__AVX512F__)
  // The form without a mask makes GCC 12 warn of the compiler's header.
  constexpr __mmask8 all = 0xFF;
  return reinterpret_cast<Lanes>(
      _mm512_maskz_mul_epu32(all, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(factor)));
#elif defined(__AVX2__)
  return reinterpret_cast<Lanes>(_mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(factor)));
#elif defined(__SSE2__)
  return reinterpret_cast<Lanes>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(factor)));
#else
  return (a & lower_half) * factor;
#endif
}

/// Philox4x32-10 counters (Salmon et al. 2011), one in each lane; base/philox.hpp has it for one counter.
struct Counters {
  Lanes word[4];

  void run(std::uint32_t key0, std::uint32_t key1) {
    for (int round = 0; round < 10; ++round) {
      const Lanes product0 = multiply_lower_halves(word[0], 0xD2511F53);
      const Lanes product1 = multiply_lower_halves(word[2], 0xCD9E8D57);
      word[0] = (product1 >> 32) ^ word[1] ^ key0;
      word[2] = (product0 >> 32) ^ word[3] ^ key1;
      word[1] = product1;
      word[3] = product0;
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
  }
};

/// Draws random words of the elements of a row from dropout_group * group on, see model/kernels/dropout_mask.hpp.
inline void draw_group(const DropoutSite& site, std::uint32_t sample, std::uint32_t row, std::uint32_t group,
                       std::uint32_t* words) {
  for (std::int64_t first = 0; first < std::int64_t{dropout_counters}; first += 2 * lanes) {
    // Neighbours are in two registers, so that each has room for a product of 64 bits.
    Lanes number;
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      number[lane] =
          static_cast<std::uint64_t>(dropout_counters) * group + static_cast<std::uint64_t>(first + 2 * lane);
    const Lanes others[] = {Lanes{} + row, Lanes{} + sample, Lanes{} + site.site};
    Counters even{{number, others[0], others[1], others[2]}}, odd{{number + 1, others[0], others[1], others[2]}};
    even.run(site.key[0], site.key[1]);
    odd.run(site.key[0], site.key[1]);
    for (int word = 0; word < 4; ++word) {
      const Lanes joined = (even.word[word] & lower_half) | odd.word[word] << 32;
      std::memcpy(words + word * dropout_counters + first, &joined, sizeof joined);
    }
  }
}

/// Computes values[e] = kept ? values[e] * scale : 0, for e in [0, count), in each array of `values` by the same mask.
template <typename T, typename... Rest>
inline void apply_dropout(const DropoutSite& site, std::uint32_t sample, std::uint32_t row, std::int64_t count,
                          T* values, Rest*... rest) {
  const T scale = static_cast<T>(site.scale);
  alignas(64) std::uint32_t words[dropout_group];
  constexpr std::int64_t group = dropout_group;
  for (std::int64_t begin = 0; begin < count; begin += group) {
    draw_group(site, sample, row, static_cast<std::uint32_t>(begin / group), words);
    const std::int64_t end = count - begin < group ? count - begin : group;
    const auto mask = [&](T* array) {
#pragma omp simd
      for (std::int64_t e = 0; e < end; ++e)
        array[begin + e] = words[e] >= site.threshold ? array[begin + e] * scale : T{0};
    };
    mask(values);
    (mask(rest), ...);
  }
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
