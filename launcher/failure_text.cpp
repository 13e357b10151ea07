#include "launcher/failure_text.hpp"

#include <c10/util/Exception.h>

#include <new>

#include "base/error.hpp"

namespace gausscse {

namespace {

std::string_view memory_advice(std::string_view command) {
  if (command == "train")
    return "let a rank embed fewer examples at a time (training.micro_batch; 0, the default, is its whole share of the "
           "batch), lower training.batch_size or training.max_tokens, or give the ranks more memory";
  if (command == "eval" || command == "encode" || command == "score")
    return "start fewer threads a rank (--threads; each embeds sentences in memory of its own), give fewer sentences "
           "at a time, or give the ranks more memory";
  return "give the program more memory";
}

std::string gpu_memory_advice(std::string_view command) {
  std::string otherwise =
      "see by nvidia-smi whether other programs hold memory of this GPU, take one with more, or give --device cpu";
  if (command == "train")
    return concat(
        "let a rank embed fewer examples at a time (training.micro_batch; 0, the default, is its whole share ",
        "of the batch), lower training.batch_size or training.max_tokens, start more ranks with a GPU each, ",
        otherwise);
  return otherwise;
}

/// What stands between the first `begin` and the next `end` in `text`; empty where they do not.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.find(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  const std::size_t last = text.find(end);
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last);
}

/// The same without what LibTorch says of its own allocator and variables.
std::string of_gpu_memory(std::string_view said, std::string_view command) {
  const std::string_view asked = between(said, "Tried to allocate ", ". GPU "), gpu = between(said, ". GPU ", " has "),
                         total = between(said, "total capacity of ", " of which "),
                         available = between(said, " of which ", " is free");
  if (asked.empty() || gpu.empty() || total.empty() || available.empty())
    return concat("out of GPU memory: ", gpu_memory_advice(command), " (", said.substr(0, said.find('\n')), ")");
  return concat("out of GPU memory: ", asked, " are needed, GPU ", gpu, " has ", total, ", and ", available,
                " of them free: ", gpu_memory_advice(command));
}

}  // namespace

std::string failure_text(const std::exception& error, std::string_view command) {
  std::string text = error.what();
  if (const auto* libtorch = dynamic_cast<const c10::Error*>(&error)) text = libtorch->what_without_backtrace();
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error)) return of_gpu_memory(text, command);
  const bool memory_refused =
      dynamic_cast<const std::bad_alloc*>(&error) || text.find("can't allocate memory") != std::string::npos;
  if (!memory_refused) return text;
  return concat("out of memory: ", memory_advice(command), " (", text, ")");
}

}  // namespace gausscse
