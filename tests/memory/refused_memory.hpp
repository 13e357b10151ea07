#pragma once

#include <exception>
#include <new>
#include <typeinfo>

#include "tests/support/disturbances.hpp"
#include "tests/support/failing_allocations.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// Every allocation of a reader that makes fewer than this is refused in turn; of others as many, spread evenly.
inline constexpr std::size_t most_refusals = 600;

inline std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

/// Calls `read()` again and again, each time with another of its allocations refused, alone or with all that follow.
/// Expects std::bad_alloc (or SystemError: the file is not to blame), or the content that is read with all memory at
/// hand, as `print(content)` shows it. No object and no open file may be left behind.
template <typename Read, typename Print>
void expect_clean_refusals(const Read& read, const Print& print) {
  const std::string whole = print(read());
  std::size_t allocations = 0;
  {
    const FailingAllocations none(0);
    read();
    allocations = none.calls();
  }
  ASSERT_GT(allocations, 0u);
  const std::size_t step = (allocations + most_refusals - 1) / most_refusals;
  const std::ptrdiff_t files = open_files();
  std::size_t refusals = 0;
  for (const Refused refused : {Refused::once, Refused::from_then_on}) {
    for (std::size_t k = 1; k <= allocations; k += step) {
      const std::string where = concat("allocation ", k, " of ", allocations, refused == Refused::once ? "" : ", on");
      const std::ptrdiff_t live = live_allocations();
      std::string problem;
      {
        std::optional<decltype(read())> content;
        std::exception_ptr failure;
        bool fired = false;
        {
          const FailingAllocations failing(k, refused);
          try {
            content.emplace(read());
          } catch (...) {
            failure = std::current_exception();
          }
          fired = failing.fired();
        }
        if (!fired) problem = "was not reached";
        if (content && print(*content) != whole) problem = "gives other content: " + print(*content);
        try {
          if (failure) std::rethrow_exception(failure);
        } catch (const std::bad_alloc&) {
        } catch (const SystemError&) {
        } catch (const std::exception& error) {
          problem = concat("ends in ", typeid(error).name(), ": ", error.what());
        }
      }
      ASSERT_EQ(problem, "") << where;
      ASSERT_EQ(live_allocations(), live) << where << " leaves memory";
      ++refusals;
    }
  }
  EXPECT_EQ(open_files(), files);
  count_disturbance("allocations refused", refusals);
}

}  // namespace gausscse
