#include "data/corpus/string_table.hpp"

#include <xxhash.h>

#include "base/error.hpp"

namespace gausscse {

StringTable::StringTable() : ends_(1, 0), slots_(1024, no_text) {}

/// Returns the slot that holds `text`, or the free one where it belongs.
std::size_t StringTable::slot_of(std::string_view text) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = XXH3_64bits(text.data(), text.size()) & mask;
  while (slots_[slot] != no_text && (*this)[slots_[slot]] != text) slot = (slot + 1) & mask;
  return slot;
}

void StringTable::grow() {
  slots_.assign(2 * slots_.size(), no_text);
  for (std::uint32_t index = 0; index < size(); ++index) slots_[slot_of((*this)[index])] = index;
}

std::uint32_t StringTable::intern(std::string_view text) {
  std::size_t slot = slot_of(text);
  if (slots_[slot] != no_text) return slots_[slot];
  if (size() >= no_text - 1)
    throw InputError("the corpus has over 4 billion distinct sentences: train on a part of it");
  if (2 * (size() + 1) > slots_.size()) {
    grow();
    slot = slot_of(text);
  }
  const auto index = static_cast<std::uint32_t>(size());
  slots_[slot] = index;
  bytes_ += text;
  ends_.push_back(bytes_.size());
  return index;
}

}  // namespace gausscse
