// The models that are judged by a search (checker/search), not by a sweep.
#pragma once

#include <memory>

#include "checker/models/models.hpp"

namespace picklock {

std::unique_ptr<Model> make_register(const ModelContext& context);
std::unique_ptr<Model> make_cas_register(const ModelContext& context);
std::unique_ptr<Model> make_try_cas_register(const ModelContext& context);
std::unique_ptr<Model> make_multi_register(const ModelContext& context);
std::unique_ptr<Model> make_growing_set(const ModelContext& context);
std::unique_ptr<Model> make_key_value(const ModelContext& context);

}  // namespace picklock
