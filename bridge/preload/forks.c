// A fork of a warmed program plays one run: what the kernel shares between the two is made the child's own.
//
// A program in Node has no call for a fork. This library is a module for it, too: process.dlopen(module, path) gives fork(), which
// returns nothing in the child, and in the parent, once the child has ended, the child's wait status; and exit(), which ends the
// child without waiting for helper threads, which no fork has.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "virtual.h"

void picklock_allow_fork(void);

// V8 keeps its heap out of forks, as its own threads would be missing there. In virtual time they do nothing of their own.
int madvise(void* begin, size_t size, int advice) {
  if (is_virtual() && advice == MADV_DONTFORK) return 0;
  return (int)kernel(SYS_madvise, begin, size, advice);
}

// --- descriptors whose state parent and child would share

static FILE* facts_of(int fd) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
  return fopen(path, "r");
}

static void put_in_place(int fresh, int fd) {
  if (fresh < 0) return;
  dup3(fresh, fd, O_CLOEXEC);
  kernel(SYS_close, fresh);
}

static void renew_counter(int fd) {
  FILE* const facts = facts_of(fd);
  char line[256];
  unsigned count = 0;
  while (facts && fgets(line, sizeof line, facts)) sscanf(line, "eventfd-count: %x", &count);
  if (facts) fclose(facts);
  put_in_place(eventfd(count, fcntl(fd, F_GETFL) & O_NONBLOCK), fd);
}

static void renew_epoll(int fd) {
  FILE* const facts = facts_of(fd);
  const int fresh = epoll_create1(EPOLL_CLOEXEC);
  char line[256];
  while (facts && fgets(line, sizeof line, facts)) {
    int watched;
    unsigned events;
    unsigned long long data;
    if (sscanf(line, " tfd: %d events: %x data: %llx", &watched, &events, &data) != 3) continue;
    struct epoll_event event = {.events = events, .data.u64 = data};
    kernel(SYS_epoll_ctl, fresh, EPOLL_CTL_ADD, watched, &event);
  }
  if (facts) fclose(facts);
  put_in_place(fresh, fd);
}

static void renew_all(const char* kind, void (*renew)(int)) {
  DIR* const all = opendir("/proc/self/fd");
  for (struct dirent* one; all && (one = readdir(all));) {
    char path[300], target[64] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%s", one->d_name);
    if (readlink(path, target, sizeof target - 1) > 0 && strcmp(target, kind) == 0) renew(atoi(one->d_name));
  }
  if (all) closedir(all);
}

void renew_shared_descriptors(void) {
  renew_all("anon_inode:[eventfd]", renew_counter);
  renew_all("anon_inode:[eventpoll]", renew_epoll);
}

// --- the module for Node: its stable interface, of which this much is needed

typedef struct napi_env__* napi_env;
typedef struct napi_value__* napi_value;
typedef napi_value (*napi_callback)(napi_env, void*);
__attribute__((weak)) int napi_create_function(napi_env, const char*, size_t, napi_callback, void*, napi_value*);
__attribute__((weak)) int napi_set_named_property(napi_env, napi_value, const char*, napi_value);
__attribute__((weak)) int napi_create_int32(napi_env, int, napi_value*);

static napi_value fork_for_run(napi_env env, void* call) {
  (void)call;
  picklock_allow_fork();
  const pid_t child = fork();
  if (child == 0) return NULL;
  int status = -1;
  if (child > 0) waitpid(child, &status, 0);
  napi_value value = NULL;
  napi_create_int32(env, status, &value);
  return value;
}
static napi_value exit_at_once(napi_env env, void* call) {
  (void)env, (void)call;
  _exit(0);
}
napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value function;
  napi_create_function(env, "fork", 4, fork_for_run, NULL, &function);
  napi_set_named_property(env, exports, "fork", function);
  napi_create_function(env, "exit", 4, exit_at_once, NULL, &function);
  napi_set_named_property(env, exports, "exit", function);
  return exports;
}
