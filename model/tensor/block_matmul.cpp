#include "model/tensor/block_matmul.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include "model/tensor/tile_matmul.hpp"

namespace at::native::cpublas {

namespace {

/// Number of rows that this thread's tiles have; 0: no shapes are set.
thread_local std::int64_t upper_rows = 0, lower_rows = 0;

/// The processor's tiles. Compilers take their numbers from the text of the program, so the instructions are written
/// out.
template <typename Element>
struct AmxTiles {
  static void shape(std::int64_t upper, std::int64_t lower) {
    if (upper == upper_rows && lower == lower_rows) return;
    const TileShapes shapes = shapes_of_block(upper, lower);
    asm volatile("ldtilecfg %0" : : "m"(shapes));
    upper_rows = upper, lower_rows = lower;
  }
  template <int tile>
  static void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(tile));
  }
  template <int tile>
  static void load(const char* from, std::int64_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(tile) : "memory");
  }
  template <int tile>
  static void store(char* to, std::int64_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(tile) : "memory");
  }
  template <int sums, int left, int panel>
  static void multiply() {
    if constexpr (sizeof(Element) == 2)
      asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sums), "i"(left), "i"(panel));
    else
      asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sums), "i"(left), "i"(panel));
  }
};

template <typename Left, typename Right, typename Sum>
void multiply(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t a_stride,
              std::int64_t panel_columns, std::int64_t out_stride, bool accumulate, const Left* a, const Right* panel,
              Sum* out) {
  if (!has_tiles()) throw Error("brgemm: this process has no tiles (AMX)");
  constexpr std::int64_t size = sizeof(Left);
  multiply_by_tiles<AmxTiles<Left>>(rows, columns,
                                    {reinterpret_cast<const char*>(a), a_stride * size,
                                     reinterpret_cast<const char*>(panel), panel_columns * 4, depth * size},
                                    out, out_stride, accumulate);
}

}  // namespace

bool has_tiles() {
  // Linux gives a process their state, 8 KiB a thread, when it asks for it (ARCH_REQ_XCOMP_PERM of XTILEDATA), and
  // refuses on a processor that has none.
  static const bool granted = ::syscall(SYS_arch_prctl, 0x1023, 18) == 0;
  return granted;
}

void brgemm(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t a_stride,
            std::int64_t panel_columns, std::int64_t out_stride, bool accumulate, const BFloat16* a,
            const BFloat16* panel, float* out) {
  multiply(rows, columns, depth, a_stride, panel_columns, out_stride, accumulate, a, panel, out);
}
void brgemm(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t a_stride,
            std::int64_t panel_columns, std::int64_t out_stride, bool accumulate, const std::uint8_t* a,
            const std::int8_t* panel, std::int32_t* out) {
  multiply(rows, columns, depth, a_stride, panel_columns, out_stride, accumulate, a, panel, out);
}

void brgemm_release() {
  if (upper_rows > 0) asm volatile("tilerelease");
  upper_rows = lower_rows = 0;
}

}  // namespace at::native::cpublas
