// True if AddressSanitizer watches this build: then free blocks of an arena are marked for it.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define PICKLOCK_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PICKLOCK_ASAN 1
#endif
#endif
#ifndef PICKLOCK_ASAN
#define PICKLOCK_ASAN 0
#endif
