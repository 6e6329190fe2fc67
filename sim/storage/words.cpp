#include "sim/storage/words.hpp"

#include <cstring>

#include "sim/storage/storage.hpp"

namespace picklock {
namespace {

using storage_wire::Answer;
using storage_wire::Verb;

std::string words_of(const storage_wire::Request& request) {
  std::string words;
  switch (request.verb) {
    case Verb::read:
      words = "read";
      break;
    case Verb::write:
      words = "write";
      break;
    case Verb::append:
      words = "append";
      break;
    case Verb::compare_and_set:
      words = "compare and set";
      break;
    default:
      return "";
  }
  if (request.depends_on_read != 0) words += ", computed from version " + std::to_string(request.read_version);
  if (request.has_token != 0) words += ", token " + std::to_string(request.token);
  return words;
}

std::string words_of(const storage_wire::Reply& reply) {
  switch (static_cast<Answer>(reply.answer)) {
    case Answer::done:
      return "done, version " + std::to_string(reply.version);
    case Answer::fenced:
      return "refused: the token is too old";
    case Answer::conflict:
      return "refused: the version is " + std::to_string(reply.version);
    default:
      return "";
  }
}

template <class Head>
std::string words_of_head(std::string_view body) {
  Head head;
  if (body.size() < sizeof head) return "";
  std::memcpy(&head, body.data(), sizeof head);
  return words_of(head);
}

}  // namespace

std::string words_of_storage_message(std::string_view body, bool answers) {
  return answers ? words_of_head<storage_wire::Reply>(body) : words_of_head<storage_wire::Request>(body);
}

}  // namespace picklock
