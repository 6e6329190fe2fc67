#include "bridge/program_socket.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace picklock {

void ProgramSocket::write_out() {
  while (!to_write.empty()) {
    const ssize_t done = ::send(connection.get(), to_write.data(), to_write.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done <= 0) return;  // no room: the rest waits for the next turn; or nothing reads it any more
    to_write.erase(0, static_cast<std::size_t>(done));
  }
}

bool ProgramSocket::read_in() {
  char buffer[16 * 1024];
  while (true) {
    const ssize_t got = ::recv(connection.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (got <= 0) {
      ended = ended || got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
      return true;
    }
    read.append(buffer, static_cast<std::size_t>(got));
    if (read.size() > kMostUnread) return false;
  }
}

std::vector<nlohmann::json> ProgramSocket::take_lines(std::string& wrong) {
  std::vector<nlohmann::json> lines;
  std::size_t begin = 0;
  for (std::size_t end; (end = read.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string text = read.substr(begin, end - begin);
    nlohmann::json line = nlohmann::json::parse(text, nullptr, false);
    if (!line.is_object()) {
      wrong = text;
      return lines;
    }
    lines.push_back(std::move(line));
  }
  read.erase(0, begin);
  return lines;
}

}  // namespace picklock
