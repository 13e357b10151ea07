#include "model/matmul/cpu/bfloat16_instructions.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "model/kernels/block_layouts.hpp"
#ifdef GAUSSCSE_WITHOUT_LIBTORCH
#include "model/tensor/block_matmul.hpp"
#endif

namespace gausscse {

namespace {

/// The limits that oneDNN knows below AMX and the instructions that they leave; it ignores other words.
constexpr std::array limits = {std::pair{"sse41", Bfloat16Instructions::none},
                               std::pair{"avx", Bfloat16Instructions::none},
                               std::pair{"avx2", Bfloat16Instructions::none},
                               std::pair{"avx2_vnni", Bfloat16Instructions::none},
                               std::pair{"avx2_vnni_2", Bfloat16Instructions::none},
                               std::pair{"avx512_core", Bfloat16Instructions::none},
                               std::pair{"avx512_core_vnni", Bfloat16Instructions::none},
                               std::pair{"avx512_core_bf16", Bfloat16Instructions::avx512_bf16},
                               std::pair{"avx512_core_fp16", Bfloat16Instructions::avx512_bf16},
                               std::pair{"avx10_1_512", Bfloat16Instructions::avx512_bf16}};

Bfloat16Instructions allowed_by(std::string_view limit) {
  std::string word(limit);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  for (const auto& [name, left] : limits)
    if (word == name) return left;
  return Bfloat16Instructions::amx;
}

/// Returns the flags of the first processor, as the kernel lists them: the compiler's own test does not know AMX.
std::string flags_of_processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("flags", 0) == 0) return line.substr(std::min(line.size(), line.find(':') + 1));
  return {};
}

/// Returns the limit by the variables that oneDNN reads, in its order.
std::string_view limit_of_environment() {
  for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
    if (const char* limit = std::getenv(name); limit && *limit) return limit;
  return {};
}

}  // namespace

Bfloat16Instructions bfloat16_instructions(std::string_view flags, std::string_view limit) {
  const std::string padded = concat(" ", flags, " ");
  const auto has = [&](const char* flag) { return padded.find(concat(" ", flag, " ")) != std::string::npos; };
  const Bfloat16Instructions best = has("amx_bf16") && has("amx_tile") ? Bfloat16Instructions::amx
                                    : has("avx512_bf16")               ? Bfloat16Instructions::avx512_bf16
                                                                       : Bfloat16Instructions::none;
  return std::min(best, allowed_by(limit));
}

Bfloat16Instructions bfloat16_instructions() {
  static const Bfloat16Instructions found = bfloat16_instructions(flags_of_processor(), limit_of_environment());
#ifdef GAUSSCSE_WITHOUT_LIBTORCH
  // Linux may refuse the tiles. Instructions that GAUSSCSE_INSTRUCTION_SET takes from our kernels are LibTorch's alone.
  const auto most = at::native::cpublas::has_tiles() ? Bfloat16Instructions::amx : Bfloat16Instructions::avx512_bf16;
  return kernels::block_layouts().multiply ? std::min(found, most) : Bfloat16Instructions::none;
#else
  return found;
#endif
}

const char* name_of(Bfloat16Instructions instructions) {
  switch (instructions) {
    case Bfloat16Instructions::none:
      return "none";
    case Bfloat16Instructions::avx512_bf16:
      return "avx512_bf16";
    case Bfloat16Instructions::amx:
      return "amx";
  }
  GAUSSCSE_CHECK(false, "a kind of instructions that is none of them");
}

}  // namespace gausscse
