#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "base/error.hpp"

namespace gausscse {

/// The copy of the process in `computed_apart` did not return from its work.
class EndedApart : public InputError {
  using InputError::InputError;
};

/// Returns the result of `work`, which a copy of this process computes, so that a library that crashes or loops on its
/// input does no harm here:
///
///     const std::string text = computed_apart(time_to_read(bytes.size()), [&] { return text_of(bytes); });
///
/// Throws InputError with the message of an exception that `work` throws. Throws EndedApart, with the end of the copy:
/// its signal, or that it took more than `limit` of processor time. Throws SystemError where no copy can be made.
/// `work` must not wait for other threads.
std::string computed_apart(std::chrono::seconds limit, const std::function<std::string()>& work);

/// Returns processor time that is ample for reading a file of that size.
std::chrono::seconds time_to_read(std::size_t bytes);

}  // namespace gausscse
