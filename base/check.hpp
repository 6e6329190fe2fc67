// Assertions stay on in release builds: under random schedules each of them is a free checker.
#pragma once

namespace picklock {

[[noreturn]] void check_failed(const char* file, int line, const char* condition) noexcept;

}  // namespace picklock

#define PICKLOCK_CHECK(condition) ((condition) ? (void)0 : ::picklock::check_failed(__FILE__, __LINE__, #condition))
