#pragma once

#include <utility>

#include "dist/control_group.hpp"

namespace gausscse {

/// Says of this rank, until its end or as long as it lives, that it does what others may have to wait for longer than
/// for any collective: reading or writing large files. Ranks that wait for it in a collective wait on as long as it
/// gives signs of life. May be nested.
class SlowWork {
 public:
  explicit SlowWork(ControlGroup& ranks) : ranks_(&ranks) { ranks.set_slow_work(true); }
  ~SlowWork() { end(); }
  SlowWork(const SlowWork&) = delete;
  SlowWork& operator=(const SlowWork&) = delete;

  /// Ends the slow work. Does nothing the second time.
  void end() {
    if (ControlGroup* ranks = std::exchange(ranks_, nullptr)) ranks->set_slow_work(false);
  }

 private:
  ControlGroup* ranks_;
};

}  // namespace gausscse
