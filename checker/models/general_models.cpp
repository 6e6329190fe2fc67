#include "checker/models/general_models.hpp"

#include "checker/models/search_model.hpp"
#include "checker/search/specs/registers.hpp"
#include "checker/search/specs/set.hpp"

namespace picklock {

std::unique_ptr<Model> make_register(const ModelContext& context) { return make_search_model<Register>(context); }

std::unique_ptr<Model> make_cas_register(const ModelContext& context) {
  return make_search_model<CasRegister>(context);
}

std::unique_ptr<Model> make_try_cas_register(const ModelContext& context) {
  return make_search_model<TryCasRegister>(context);
}

std::unique_ptr<Model> make_multi_register(const ModelContext& context) {
  return make_search_model<MultiRegister>(context);
}

std::unique_ptr<Model> make_growing_set(const ModelContext& context) { return make_search_model<GrowingSet>(context); }

std::unique_ptr<Model> make_key_value(const ModelContext& context) {
  const bool named = context.lock != kNoName;
  return std::make_unique<SearchModel<KeyValue>>(
      context, named ? KeyValue(context.tables.names.view(context.lock)) : KeyValue());
}

}  // namespace picklock
