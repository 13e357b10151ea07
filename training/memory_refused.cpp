#include "training/memory_refused.hpp"

#include <c10/util/Exception.h>

#include <new>
#include <string_view>

namespace gausscse {

bool is_memory_refused(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) || dynamic_cast<const c10::OutOfMemoryError*>(&error) ||
         std::string_view(error.what()).find("can't allocate memory") != std::string_view::npos;
}

}  // namespace gausscse
