#include "launcher/failure_text.hpp"

#include <c10/util/Exception.h>

#include <new>

#include "base/error.hpp"

namespace gausscse {

std::string failure_text(const std::exception& error) {
  std::string text = error.what();
  if (const auto* libtorch = dynamic_cast<const c10::Error*>(&error)) text = libtorch->what_without_backtrace();
  const bool memory_refused =
      dynamic_cast<const std::bad_alloc*>(&error) || text.find("can't allocate memory") != std::string::npos;
  if (!memory_refused) return text;
  return concat("out of memory: lower training.micro_batch or training.batch_size, or give the ranks more memory (",
                text, ")");
}

}  // namespace gausscse
