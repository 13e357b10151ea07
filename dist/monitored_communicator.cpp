#include "dist/monitored_communicator.hpp"

#include <type_traits>

#include "base/error.hpp"
#include "base/process.hpp"

namespace gausscse {

std::string counts_text(const MonitoredCommunicator::Counts& counts) {
  std::string text;
  for (std::size_t kind = 0; kind < counts.size(); ++kind)
    if (counts[kind] > 0) text += concat(text.empty() ? "" : ", ", collective_names[kind], " ", counts[kind]);
  return text;
}

/// Report of one call to the watch, for as long as it lives.
class MonitoredCommunicator::Watched {
 public:
  Watched(MonitoredCommunicator& owner, Collective collective, std::int64_t elements) {
    const CollectiveCall call{collective, elements, ++owner.number_, owner.step_};
    ++owner.counts_[static_cast<std::size_t>(collective)];
    if (owner.watch_) {
      owner.watch_->enter(call);
      entered_.reset(owner.watch_.get());
    }
    if (owner.compare_) owner.compare(call);
  }
  ~Watched() { count_work(); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  struct Leave {
    void operator()(CollectiveWatch* watch) const { watch->leave(); }
  };
  std::unique_ptr<CollectiveWatch, Leave> entered_;
};

MonitoredCommunicator::MonitoredCommunicator(std::unique_ptr<ControlGroup> control,
                                             std::unique_ptr<Collectives> collectives,
                                             std::unique_ptr<CollectiveWatch> watch, bool compare)
    : control_(std::move(control)), collectives_(std::move(collectives)), watch_(std::move(watch)), compare_(compare) {}

void MonitoredCommunicator::compare(const CollectiveCall& call) {
  // A barrier of one node has its own order on every node.
  if (call.collective == Collective::local_barrier) return;
  const std::vector<std::string> calls = control_->all_gather_text(to_string(call));
  bool same = true;
  std::string all;
  for (std::size_t rank = 0; rank < calls.size(); ++rank) {
    same = same && calls[rank] == calls.front();
    all += concat(rank == 0 ? "" : "; ", "rank ", rank, " ", calls[rank]);
  }
  if (!same) throw SystemError(concat("the ranks are about to call different collectives: ", all));
}

void MonitoredCommunicator::set_step(std::int64_t step) {
  step_ = step;
  collectives_->set_step(step);
}

void MonitoredCommunicator::set_long_operation(bool begins) {
  long_operations_ += begins ? 1 : -1;
  if (watch_) watch_->set_long_operation(long_operations_ > 0);
}

template <typename Call>
auto MonitoredCommunicator::watched(Collective collective, std::int64_t elements, const Call& call) {
  const Watched entered(*this, collective, elements);
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    const QueuedCollective queued = collectives_->take_queued();
    if (watch_ && queued) watch_->queued(queued);
  } else {
    return call();
  }
}

void MonitoredCommunicator::replace_collectives(const MakeCollectives& make) {
  watched(Collective::connect, 0, [&] { collectives_ = make(*control_, std::move(collectives_)); });
}

void MonitoredCommunicator::wait_for_end() {
  watched(Collective::end, 0, [&] { control_->barrier(); });
}

void MonitoredCommunicator::barrier() {
  watched(Collective::barrier, 0, [&] { control_->barrier(); });
}

void MonitoredCommunicator::local_barrier() {
  watched(Collective::local_barrier, 0, [&] { control_->local_barrier(); });
}

void MonitoredCommunicator::run(const TensorCall& call) {
  watched(call.collective, call.elements(), [&] { collectives_->run(call); });
}

std::unique_ptr<PendingCollective> MonitoredCommunicator::begin(const TensorCall& call) {
  std::unique_ptr<PendingCollective> pending;
  watched(call.collective, call.elements(), [&] { pending = collectives_->begin(call); });
  return pending;
}

std::vector<std::string> MonitoredCommunicator::all_gather_text(const std::string& text) {
  return watched(Collective::all_gather_text, 0, [&] { return control_->all_gather_text(text); });
}

void MonitoredCommunicator::broadcast_numbers(std::span<double> numbers) {
  watched(Collective::broadcast, static_cast<std::int64_t>(numbers.size()),
          [&] { control_->broadcast_numbers(numbers); });
}

}  // namespace gausscse
