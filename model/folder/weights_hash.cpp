#include "model/folder/weights_hash.hpp"

#include <cstddef>
#include <map>

#include "base/content_hash.hpp"
#include "model/folder/properties_file.hpp"

namespace gausscse {

std::string weights_hash(const ParameterStore& parameters) {
  std::map<std::string, std::size_t> by_name;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (const ParameterSpec& spec = parameters.specs()[i]; !is_objective_parameter(spec.name))
      by_name.emplace(name_in_model_folder(spec), i);
  const at::Tensor values = parameters.values().cpu();
  ContentHasher hasher;
  for (const auto& [name, i] : by_name) {
    hasher.add({name.c_str(), name.size() + 1});
    hasher.add({reinterpret_cast<const char*>(values.const_data_ptr<float>() + parameters.offset(i)),
                static_cast<std::size_t>(parameters.count(i)) * sizeof(float)});
  }
  return hasher.digits();
}

}  // namespace gausscse
