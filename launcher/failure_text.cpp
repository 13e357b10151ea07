#include "launcher/failure_text.hpp"

#include <c10/util/Exception.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "model/device/device_memory.hpp"
#include "training/memory_refused.hpp"

namespace gausscse {

namespace {

using Texts = std::vector<std::string>;
using Parts = std::vector<MemoryPart>;

/// Adds the advice for a rank that trains, on a GPU or elsewhere, next to the keys that make one of its parts smaller.
void add_advice_for_training(const Parts& parts, Texts& advice) {
  if (parts.empty()) advice.emplace_back(embed_fewer_at_a_time);
  advice.emplace_back("lower training.batch_size");
  advice.emplace_back("lower training.max_tokens");
}

Texts memory_advice(std::string_view command, const Parts& parts) {
  Texts advice;
  if (command == "train") add_advice_for_training(parts, advice);
  if (command == "eval" || command == "encode" || command == "score" || command == "geometry")
    advice = {"start fewer threads per rank (--threads; each thread takes memory for its sentences)",
              "give fewer sentences at a time"};
  advice.emplace_back(advice.empty() ? "give the program more memory" : "or give the ranks more memory");
  return advice;
}

/// Returns the advice for a GPU; `gaps`: LibTorch's memory that is free, but in too small pieces, as it writes it, if
/// that is much.
Texts gpu_memory_advice(std::string_view command, const Parts& parts, std::string_view gaps) {
  Texts advice;
  if (!gaps.empty())
    advice.push_back(concat("let blocks of memory grow in place, as gaps between them have ", gaps,
                            " (PYTORCH_ALLOC_CONF=expandable_segments:True)"));
  if (command == "train") {
    add_advice_for_training(parts, advice);
    advice.emplace_back("start more ranks with a GPU each");
  }
  advice.emplace_back("see by nvidia-smi whether other programs hold memory of this GPU");
  advice.emplace_back("take one with more");
  advice.emplace_back("or give --device cpu");
  return advice;
}

/// Returns the text between the first `begin` and the next `end` in `text`; empty where they do not occur.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.find(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  const std::size_t last = text.find(end);
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last);
}

/// Returns the memory of a GPU that this process may take, "20.00 GiB", if that is not all of it.
std::string_view allowed_memory(std::string_view said) {
  const std::size_t end = said.find(" allowed; ");
  if (end == std::string_view::npos) return {};
  const std::size_t begin = said.rfind(". ", end) + 2;
  return said.substr(begin, end - begin);
}

constexpr std::array<std::string_view, 4> byte_units{"bytes", "KiB", "MiB", "GiB"};

/// Returns "2.50 GiB", as LibTorch writes it.
std::string bytes_text(std::int64_t bytes) {
  if (bytes < 1024) return concat(bytes, " bytes");
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < byte_units.size(); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.2f ", value);
  return text + std::string(byte_units[unit]);
}

/// Returns the bytes in such a text, about; 0 where it is none.
double bytes_in(std::string_view text) {
  double value = std::strtod(std::string(text).c_str(), nullptr);
  for (const std::string_view unit : byte_units) {
    if (text.ends_with(unit)) return value;
    value *= 1024;
  }
  return 0;
}

/// Sorts parts, the largest first; memory that was asked for is counted with the part that was to grow.
void sort_by_size(Parts& parts, std::string_view asked) {
  const double more = bytes_in(asked);
  const auto size = [&](const MemoryPart& part) { return static_cast<double>(part.bytes) + (part.growing ? more : 0); };
  std::stable_sort(parts.begin(), parts.end(),
                   [&](const MemoryPart& one, const MemoryPart& other) { return size(one) > size(other); });
}

/// Returns " for candidates with their gradient"; nothing where no part was to grow.
std::string purpose_text(const Parts& parts) {
  const auto growing = std::find_if(parts.begin(), parts.end(), [](const MemoryPart& part) { return part.growing; });
  return growing == parts.end() ? "" : " for " + growing->what;
}

/// Returns "; held, the largest first: activations ... 2.50 GiB, ..."; nothing where nothing is.
std::string held_text(Parts parts) {
  sort_by_size(parts, {});
  std::string text;
  for (const MemoryPart& part : parts)
    if (part.bytes > 0)
      text += concat(text.empty() ? "; held, the largest first: " : ", ", part.what, " ", bytes_text(part.bytes));
  return text;
}

/// Returns the advice that lowers the largest part first, then that for the other parts, then `general`, each once.
std::string advice_text(const Parts& parts, const Texts& general) {
  Texts all;
  const auto add = [&](const std::string& advice) {
    if (!advice.empty()) add_once(all, advice);
  };
  for (const MemoryPart& part : parts)
    if (part.bytes > 0 || part.growing) add(part.advice);
  for (const std::string& advice : general) add(advice);
  return joined(all);
}

/// Returns the message of GPU memory that was refused, without LibTorch's sentences on its allocator and variables.
std::string of_gpu_memory(std::string_view said, std::string_view command, Parts parts) {
  const std::string_view asked = between(said, "Tried to allocate ", ". GPU "), gpu = between(said, ". GPU ", " has "),
                         total = between(said, "total capacity of ", " of which "),
                         available = between(said, " of which ", " is free"),
                         held = between(said, "Of the allocated memory ", " is allocated by PyTorch"),
                         gaps = between(said, "by PyTorch, and ", " is reserved by PyTorch but unallocated");
  sort_by_size(parts, asked);
  const bool gaps_matter = 8 * bytes_in(gaps) > bytes_in(held);
  const std::string purpose = purpose_text(parts),
                    advice = advice_text(parts, gpu_memory_advice(command, parts, gaps_matter ? gaps : ""));
  std::string parts_held = held_text(parts);
  if (!parts_held.empty() && !held.empty()) parts_held += concat(", of ", held, " in all");
  if (asked.empty() || gpu.empty() || total.empty() || available.empty())
    return concat("out of GPU memory", purpose, parts_held, ": ", advice, " (", said.substr(0, said.find('\n')), ")");
  const std::string_view allowed = allowed_memory(said);
  return concat("out of GPU memory: ", asked, " are needed", purpose, ", GPU ", gpu, " has ", total, ", and ",
                available, " of them free",
                allowed.empty() ? "" : concat("; this process may take ", allowed, " (see resources.gpus)"), parts_held,
                ": ", advice);
}

/// Returns "the limit on address space (ulimit -v) is 500 MB"; empty where there is none.
std::string limit_text(int resource, const char* name, std::int64_t unit, const char* unit_name) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  return concat(name, " is ", static_cast<std::int64_t>(limit.rlim_cur) / unit, unit_name);
}

std::string of_memory(std::string_view said, std::string_view command, Parts parts) {
  const std::string_view asked = between(said, "you tried to allocate ", ".");
  sort_by_size(parts, asked);
  const std::string address_space = limit_text(RLIMIT_AS, "the limit on address space (ulimit -v)", 1 << 20, " MB");
  return concat("out of memory", purpose_text(parts), held_text(parts), ": ",
                advice_text(parts, memory_advice(command, parts)), " (", said, ")",
                address_space.empty() ? "" : "; " + address_space);
}

/// Returns a thread that the system refuses: its stack takes address space, and itself counts as a process.
std::string of_threads(const std::string& said) {
  std::string limits;
  for (const std::string& limit : {limit_text(RLIMIT_AS, "the limit on address space (ulimit -v)", 1 << 20, " MB"),
                                   limit_text(RLIMIT_NPROC, "that on processes and threads (ulimit -u)", 1, ""),
                                   limit_text(RLIMIT_STACK, "a thread's stack (ulimit -s)", 1 << 20, " MB")})
    if (!limit.empty()) limits += (limits.empty() ? "; " : ", ") + limit;
  return concat("the system starts no more threads (", said, ")", limits,
                ": raise the limit that is reached, or give fewer --threads");
}

/// Returns the path, the system's text and, where there is one, the remedy; not the call that failed.
std::string of_file_system(const std::filesystem::filesystem_error& error) {
  if (error.path1().empty()) return error.what();
  const char* remedy = "";
  if (error.code() == std::errc::permission_denied) remedy = ": ask its owner for access, or give another path";
  if (error.code() == std::errc::no_space_on_device) remedy = ": make room there, and start the same command again";
  return concat(error.path1().string(), ": ", error.code().message(), remedy);
}

std::string text_of(const std::exception& error, std::string_view command, const Parts& parts) {
  std::string text = error.what();
  if (const auto* files = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) return of_file_system(*files);
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  // A request of the program itself that the system refuses is a SystemError; this comes from the start of a thread.
  if (system && system->code() == std::errc::resource_unavailable_try_again) return of_threads(text);
  if (const auto* libtorch = dynamic_cast<const c10::Error*>(&error)) text = libtorch->what_without_backtrace();
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error)) return of_gpu_memory(text, command, parts);
  return ops::is_memory_refused(error) ? of_memory(text, command, parts) : text;
}

}  // namespace

std::string failure_text(const std::exception& error, std::string_view command) {
  const auto* refused = dynamic_cast<const MemoryRefused*>(&error);
  if (!refused) return text_of(error, command, {});
  try {
    std::rethrow_if_nested(error);
  } catch (const std::exception& cause) {
    return text_of(cause, command, refused->parts);
  }
  return error.what();
}

}  // namespace gausscse
