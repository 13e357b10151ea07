#include "training/checkpoint/training_state.hpp"

namespace gausscse {

std::vector<double> numbers_of(const TrainingState& state) {
  std::vector<double> numbers;
  for_each_number(state, [&](auto number) { numbers.push_back(static_cast<double>(number)); });
  return numbers;
}

bool set_numbers(TrainingState& state, const std::vector<double>& numbers) {
  if (numbers.size() != numbers_of(state).size()) return false;
  auto next = numbers.begin();
  for_each_number(state, [&]<typename T>(T& number) { number = static_cast<T>(*next++); });
  return true;
}

}  // namespace gausscse
