#pragma once

#include "model/kernels/cpu/vector.hpp"
#include "model/kernels/dropout_site.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Elements whose random words are drawn together: sixteen Philox counters of four words.
constexpr std::int64_t dropout_group = 64;

/// Random words of elements [64*group, 64*group + 64) of a row: element e takes word (e/16)%4 of counter
/// {16*(e/64) + e%16, row, sample, site}.
inline void dropout_words(const DropoutSite& site, std::uint32_t sample, std::uint32_t row, std::uint32_t group,
                          std::uint32_t* words) {
  std::uint32_t c0[16], c1[16], c2[16], c3[16];
  for (std::uint32_t lane = 0; lane < 16; ++lane) {
    c0[lane] = 16 * group + lane;
    c1[lane] = row;
    c2[lane] = sample;
    c3[lane] = site.site;
  }
  std::uint32_t k0 = site.key[0], k1 = site.key[1];
  for (int round = 0; round < 10; ++round) {
    for (int lane = 0; lane < 16; ++lane) {
      const std::uint64_t product0 = std::uint64_t{0xD2511F53} * c0[lane];
      const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * c2[lane];
      const auto next0 = static_cast<std::uint32_t>(product1 >> 32) ^ c1[lane] ^ k0;
      const auto next2 = static_cast<std::uint32_t>(product0 >> 32) ^ c3[lane] ^ k1;
      c1[lane] = static_cast<std::uint32_t>(product1);
      c3[lane] = static_cast<std::uint32_t>(product0);
      c0[lane] = next0;
      c2[lane] = next2;
    }
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  std::memcpy(words, c0, sizeof c0);
  std::memcpy(words + 16, c1, sizeof c1);
  std::memcpy(words + 32, c2, sizeof c2);
  std::memcpy(words + 48, c3, sizeof c3);
}

/// values[e] = kept ? values[e] * scale : 0, for e in [0, count), in each array of `values` by the same mask.
template <typename T, typename... Rest>
inline void apply_dropout(const DropoutSite& site, std::uint32_t sample, std::uint32_t row, std::int64_t count,
                          T* values, Rest*... rest) {
  const T scale = static_cast<T>(site.scale);
  std::uint32_t words[dropout_group];
  for (std::int64_t begin = 0; begin < count; begin += dropout_group) {
    dropout_words(site, sample, row, static_cast<std::uint32_t>(begin / dropout_group), words);
    const std::int64_t end = count - begin < dropout_group ? count - begin : dropout_group;
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
