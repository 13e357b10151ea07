#pragma once

// CUDA's <mma.h> for kernels that run on CPUs: matrix products of tiles of 16 times 16 elements by a warp, of factors
// in bfloat16, with sums in float32. As on a GPU each lane has eight elements of a tile, and it is not known which.
// Here they are scattered, in another order for each use, and a fragment has no member `x`.

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "tests/support/cuda_on_cpu/language.hpp"

namespace nvcuda::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

}  // namespace nvcuda::wmma

/// Number of bfloat16.
struct __nv_bfloat16 {
  std::uint16_t bits;
};

namespace cuda_on_cpu {

constexpr int tile_width = 16, tile_size = tile_width * tile_width, elements_of_lane = tile_size / 32;

/// Elements of a tile by their places in the lanes. Element row * 16 + column is in a slot of a lane, both of which
/// `factor`, an odd number, decides.
class TilePlaces {
 public:
  explicit constexpr TilePlaces(int factor) : factor_(factor), place_() {
    for (int place = 0; place < tile_size; ++place) place_[static_cast<std::size_t>(element_at(place))] = place;
  }
  constexpr int element(int lane, int slot) const { return element_at(32 * slot + lane); }
  constexpr int lane(int element) const { return place_[static_cast<std::size_t>(element)] % 32; }
  constexpr int slot(int element) const { return place_[static_cast<std::size_t>(element)] / 32; }

 private:
  constexpr int element_at(int place) const { return (place * factor_ + 3 * factor_ / 2) % tile_size; }
  int factor_;
  std::array<int, tile_size> place_;
};

/// Places of the elements of each use.
template <typename Use>
constexpr TilePlaces tile_places{153};
template <>
inline constexpr TilePlaces tile_places<nvcuda::wmma::matrix_a>{37};
template <>
inline constexpr TilePlaces tile_places<nvcuda::wmma::matrix_b>{91};

/// Elements of a tile that one lane has.
struct LaneOfTile {
  std::array<float, elements_of_lane> values{};
  bool is_set = false;

  /// Returns the value of a slot. Throws KernelError where the tile was neither loaded nor filled.
  float value(int slot) const {
    if (!is_set) throw KernelError("a fragment of a tile is used that was neither loaded nor filled");
    return values[static_cast<std::size_t>(slot)];
  }
};

/// Waits until all lanes of the warp call the same operation on the same place in shared memory. Throws KernelError
/// where they do not, or where a GPU could not read or write a tile there.
template <typename T>
void meet_at_tile(const SharedPointer<T>& tile, unsigned stride, const Place& site) {
  constexpr std::ptrdiff_t alignment = 32;
  constexpr unsigned of_stride = 16 / sizeof(T);
  const std::ptrdiff_t byte = tile.byte();
  if (byte % alignment != 0)
    throw KernelError("a tile at " + site.text() + " begins at byte " + std::to_string(byte) +
                      " of shared memory, which is no multiple of 32");
  if (stride % of_stride != 0)
    throw KernelError("a tile at " + site.text() + " has a stride of " + std::to_string(stride) +
                      " elements, which is no multiple of 16 bytes");
  const auto own = static_cast<std::uint64_t>(byte);
  for (const std::uint64_t other : Block::current().gather(0xFFFFFFFFu, own, static_cast<int>(stride), site))
    if (other != own) throw KernelError("lanes at " + site.text() + " have different tiles");
}

/// Returns the place of an element in memory.
inline std::ptrdiff_t tile_index(int element, unsigned stride, bool by_rows) {
  const int row = element / tile_width, column = element % tile_width;
  const auto width = static_cast<std::ptrdiff_t>(stride);
  return by_rows ? row * width + column : column * width + row;
}

inline float of_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

}  // namespace cuda_on_cpu

namespace nvcuda::wmma {

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class fragment;

/// A factor of a product.
template <typename Use, typename Layout>
class fragment<Use, 16, 16, 16, __nv_bfloat16, Layout> {
 public:
  cuda_on_cpu::LaneOfTile lane;
};

/// A sum of products.
template <>
class fragment<accumulator, 16, 16, 16, float> {
 public:
  cuda_on_cpu::LaneOfTile lane;
};

/// Reads a tile of factors, of any type of 16 bits that has the bits of bfloat16. As a shuffle it orders nothing.
template <typename Use, typename Layout, typename T>
void load_matrix_sync(fragment<Use, 16, 16, 16, __nv_bfloat16, Layout>& to, const cuda_on_cpu::SharedPointer<T>& tile,
                      unsigned stride, const cuda_on_cpu::Place& site = cuda_on_cpu::Place::current()) {
  static_assert(sizeof(T) == sizeof(std::uint16_t));
  cuda_on_cpu::meet_at_tile(tile, stride, site);
  for (int slot = 0; slot < cuda_on_cpu::elements_of_lane; ++slot) {
    const int element = cuda_on_cpu::tile_places<Use>.element(cuda_on_cpu::lane(), slot);
    const T value = tile[cuda_on_cpu::tile_index(element, stride, std::is_same_v<Layout, row_major>)];
    to.lane.values[static_cast<std::size_t>(slot)] = cuda_on_cpu::of_bfloat16(std::bit_cast<std::uint16_t>(value));
  }
  to.lane.is_set = true;
}

/// Reads a tile of sums.
inline void load_matrix_sync(fragment<accumulator, 16, 16, 16, float>& to,
                             const cuda_on_cpu::SharedPointer<float>& tile, unsigned stride, layout_t layout,
                             const cuda_on_cpu::Place& site = cuda_on_cpu::Place::current()) {
  cuda_on_cpu::meet_at_tile(tile, stride, site);
  for (int slot = 0; slot < cuda_on_cpu::elements_of_lane; ++slot) {
    const int element = cuda_on_cpu::tile_places<accumulator>.element(cuda_on_cpu::lane(), slot);
    to.lane.values[static_cast<std::size_t>(slot)] =
        tile[cuda_on_cpu::tile_index(element, stride, layout == mem_row_major)];
  }
  to.lane.is_set = true;
}

inline void fill_fragment(fragment<accumulator, 16, 16, 16, float>& to, float value) {
  to.lane.values.fill(value);
  to.lane.is_set = true;
}

/// Computes to = a * b + c.
template <typename LayoutA, typename LayoutB>
void mma_sync(fragment<accumulator, 16, 16, 16, float>& to,
              const fragment<matrix_a, 16, 16, 16, __nv_bfloat16, LayoutA>& a,
              const fragment<matrix_b, 16, 16, 16, __nv_bfloat16, LayoutB>& b,
              const fragment<accumulator, 16, 16, 16, float>& c,
              const cuda_on_cpu::Place& site = cuda_on_cpu::Place::current()) {
  struct Factors {
    const cuda_on_cpu::LaneOfTile *a, *b;
  };
  const Factors own{&a.lane, &b.lane};
  cuda_on_cpu::Block& block = cuda_on_cpu::Block::current();
  const cuda_on_cpu::OfLanes& lanes =
      block.gather(0xFFFFFFFFu, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&own)), 0, site);
  const auto factors = [&](int lane) -> const Factors& {
    return *reinterpret_cast<const Factors*>(static_cast<std::uintptr_t>(lanes[static_cast<std::size_t>(lane)]));
  };
  std::array<float, cuda_on_cpu::elements_of_lane> sums{};
  for (int slot = 0; slot < cuda_on_cpu::elements_of_lane; ++slot) {
    const int element = cuda_on_cpu::tile_places<accumulator>.element(cuda_on_cpu::lane(), slot);
    float sum = c.lane.value(slot);
    for (int k = 0; k < cuda_on_cpu::tile_width; ++k) {
      const auto &of_a = cuda_on_cpu::tile_places<matrix_a>, &of_b = cuda_on_cpu::tile_places<matrix_b>;
      const int in_a = element / cuda_on_cpu::tile_width * cuda_on_cpu::tile_width + k;
      const int in_b = k * cuda_on_cpu::tile_width + element % cuda_on_cpu::tile_width;
      sum += factors(of_a.lane(in_a)).a->value(of_a.slot(in_a)) * factors(of_b.lane(in_b)).b->value(of_b.slot(in_b));
    }
    sums[static_cast<std::size_t>(slot)] = sum;
  }
  // No lane changes its factors before all have read them.
  block.gather(0xFFFFFFFFu, 0, 1, site);
  to.lane.values = sums;
  to.lane.is_set = true;
}

/// Writes a tile of sums.
inline void store_matrix_sync(const cuda_on_cpu::SharedPointer<float>& tile,
                              const fragment<accumulator, 16, 16, 16, float>& from, unsigned stride, layout_t layout,
                              const cuda_on_cpu::Place& site = cuda_on_cpu::Place::current()) {
  cuda_on_cpu::meet_at_tile(tile, stride, site);
  for (int slot = 0; slot < cuda_on_cpu::elements_of_lane; ++slot) {
    const int element = cuda_on_cpu::tile_places<accumulator>.element(cuda_on_cpu::lane(), slot);
    tile[cuda_on_cpu::tile_index(element, stride, layout == mem_row_major)] = from.lane.value(slot);
  }
}

}  // namespace nvcuda::wmma
