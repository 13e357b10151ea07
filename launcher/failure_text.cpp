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

}  // namespace

std::string failure_text(const std::exception& error, std::string_view command) {
  std::string text = error.what();
  if (const auto* libtorch = dynamic_cast<const c10::Error*>(&error)) text = libtorch->what_without_backtrace();
  const bool memory_refused =
      dynamic_cast<const std::bad_alloc*>(&error) || text.find("can't allocate memory") != std::string::npos;
  if (!memory_refused) return text;
  return concat("out of memory: ", memory_advice(command), " (", text, ")");
}

}  // namespace gausscse
