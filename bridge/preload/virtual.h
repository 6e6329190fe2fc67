// What the parts of the library of virtual time (virtual_time.c) know of each other.
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

// --- the kernel, past whatever this library replaces
long kernel_call(long number, long a, long b, long c, long d, long e, long f);
#define KERNEL_(n, a, b, c, d, e, f, ...) \
  kernel_call((long)(n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define kernel(...) KERNEL_(__VA_ARGS__, 0, 0, 0, 0, 0, 0)
// The function of this name that is replaced here.
#define NEXT(name)                                                  \
  ({                                                                \
    static __typeof__(&name) found;                                 \
    if (!found) found = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    found;                                                          \
  })

#define FOREVER INT64_MAX

// False: this process keeps real time, and nothing is replaced.
int is_virtual(void);
extern int turns_fd;
extern int64_t now_ns;  // since the run began
int64_t in_ms(int ms);  // the instant; negative: never

// Waits for the key, or until the deadline; true: the deadline came first.
int wait_for(const void* key, int64_t deadline);
// Lets threads go on that wait for the key, at most so many. Gives how many.
int wake(const void* key, int most);
// The same while the lists of threads are locked already, for whatever an answer to a turn brings.
void wake_in_turn(const void* key);

// Words that the end of the turn tells picklock, such as " connect 3 6379".
void tell(const char* format, ...) __attribute__((format(printf, 1, 2)));
// The program did what it may not do: the run fails with these words, and this call with EACCES.
int refuse(const char* format, ...) __attribute__((format(printf, 1, 2)));

void forget_random_file(int fd);  // it is closed

// --- forks (forks.c): in the child
void renew_shared_descriptors(void);

// --- connections that are being opened (connections.c)
int poll_now(struct pollfd* fds, nfds_t count);            // poll without a wait; such connections have no news
void hear_of_connection(const char* what, unsigned long number);  // "open" or "refuse", from the answer to a turn
