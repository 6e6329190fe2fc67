// A headless Chromium, spoken to over a pipe (https://chromedevtools.github.io/devtools-protocol/,
// --remote-debugging-pipe: messages are JSON, each ended by a zero byte, on descriptors 3 and 4).
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

class Chromium {
 public:
  using Json = nlohmann::json;

  // The first of its usual names that is on the PATH.
  static std::optional<std::string> find() {
    const char* const path = std::getenv("PATH");
    std::string folders = path != nullptr ? path : "";
    for (const char* const name : {"chromium", "chromium-browser", "google-chrome"}) {
      for (std::size_t at = 0; at <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', at), folders.size());
        const std::string file = folders.substr(at, end - at) + "/" + name;
        if (::access(file.c_str(), X_OK) == 0) return file;
        at = end + 1;
      }
    }
    return std::nullopt;
  }

  explicit Chromium(const std::string& program) {
    std::string folder = (std::filesystem::temp_directory_path() / "picklock_chromium_XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no folder for the profile");
    profile_ = folder;
    std::array<int, 2> to{}, from{};
    if (::pipe(to.data()) != 0 || ::pipe(from.data()) != 0) throw std::runtime_error("no pipe");
    process_ = ::fork();
    if (process_ == 0) start(program, to[0], from[1]);
    ::close(to[0]);
    ::close(from[1]);
    write_ = to[1];
    read_ = from[0];
    const Json target = call("Target.createTarget", {{"url", "about:blank"}});
    session_ = call("Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}})["sessionId"];
    for (const char* const domain : {"Page.enable", "Runtime.enable", "Network.enable", "Log.enable"}) call(domain);
  }
  Chromium(const Chromium&) = delete;
  Chromium& operator=(const Chromium&) = delete;
  ~Chromium() {
    ::close(write_);
    ::close(read_);
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    std::error_code ignored;
    std::filesystem::remove_all(profile_, ignored);
  }

  // Sends a command and waits for its answer; what happens meanwhile is noted.
  Json call(const std::string& method, Json parameters = Json::object()) {
    Json message = {{"id", ++last_}, {"method", method}, {"params", std::move(parameters)}};
    if (!session_.empty()) message["sessionId"] = session_;
    const std::string text = message.dump() + '\0';
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t n = ::write(write_, text.data() + sent, text.size() - sent);
      if (n <= 0) throw std::runtime_error("Chromium is gone");
      sent += static_cast<std::size_t>(n);
    }
    for (;;) {
      Json answer = receive();
      if (answer.value("id", 0) == last_) {
        if (answer.contains("error")) throw std::runtime_error(method + ": " + answer["error"].dump());
        return answer["result"];
      }
      note(answer);
    }
  }

  Json evaluate(const std::string& script) {
    const Json r = call("Runtime.evaluate", {{"expression", script}, {"returnByValue", true}, {"awaitPromise", true}});
    if (r.contains("exceptionDetails")) throw std::runtime_error(script + ": " + r["exceptionDetails"].dump());
    return r["result"].value("value", Json());
  }

  // Until `script` is true; false after half a minute.
  bool becomes(const std::string& script) {
    for (int i = 0; i < 600; ++i) {
      if (evaluate(script) == true) return true;
      ::usleep(50'000);
    }
    return false;
  }

  std::vector<std::string> requests;    // what the pages asked for
  std::vector<std::string> complaints;  // exceptions, and errors in the log

 private:
  [[noreturn]] void start(const std::string& program, int in, int out) const {
    // Through numbers that are free, so that neither is overwritten before it is copied.
    const int a = ::fcntl(in, F_DUPFD, 10), b = ::fcntl(out, F_DUPFD, 10);
    ::dup2(a, 3);
    ::dup2(b, 4);
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2}) ::dup2(nowhere, fd);
    const std::string profile = "--user-data-dir=" + profile_;
    ::execl(program.c_str(), program.c_str(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox",
            "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
            "--disable-background-networking", "--window-size=1200,800", profile.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }

  Json receive() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (;;) {
      if (const std::size_t end = buffer_.find('\0'); end != std::string::npos) {
        Json message = Json::parse(buffer_.substr(0, end));
        buffer_.erase(0, end + 1);
        return message;
      }
      pollfd waiting{read_, POLLIN, 0};
      if (::poll(&waiting, 1, 1000) == 0) {
        if (std::chrono::steady_clock::now() > until) throw std::runtime_error("Chromium does not answer");
        continue;
      }
      std::array<char, 65536> bytes;
      const ssize_t n = ::read(read_, bytes.data(), bytes.size());
      if (n <= 0) throw std::runtime_error("Chromium is gone");
      buffer_.append(bytes.data(), static_cast<std::size_t>(n));
    }
  }

  void note(const Json& event) {
    const std::string method = event.value("method", "");
    if (method == "Network.requestWillBeSent") requests.push_back(event["params"]["request"]["url"]);
    if (method == "Runtime.exceptionThrown") complaints.push_back(event["params"]["exceptionDetails"].dump());
    if (method == "Log.entryAdded" && event["params"]["entry"]["level"] == "error")
      complaints.push_back(event["params"]["entry"].dump());
  }

  std::string profile_, session_, buffer_;
  pid_t process_ = -1;
  int write_ = -1, read_ = -1, last_ = 0;
};
