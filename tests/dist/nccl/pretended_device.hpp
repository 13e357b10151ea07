#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

/// A device of LibTorch (privateuseone) whose memory is the host's, whose streams do nothing, and which writes down the
/// calls on events.
namespace gausscse::pretended_device {

inline const at::Device device(at::kPrivateUse1, 0);

/// Returns the memory of a contiguous tensor of the CPU, as a tensor of the device.
at::Tensor on_device(const at::Tensor& host);

/// Returns "stream 5, before others", "record 1 on 0", "1 blocks 5", "the host waits for 1", "the host asks for 1":
/// numbers of events, from 1, and of streams; 0 is the current one. With ", at another device" where the thread's
/// current device was another one, as it is at first. What came since this was asked.
std::vector<std::string> take_log();
void log(const std::string& text);

/// Sets whether events are done; or, where not empty, the error of a query of one.
void set_events(bool done, const std::string& failure = {});
/// Events that are there.
int events();
/// Makes the last of `before_done` questions, from now on, the first that answers that an event is done.
void set_questions(int before_done);
/// Returns whether it is the current device of the thread.
bool is_current();

}  // namespace gausscse::pretended_device
