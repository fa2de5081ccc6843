#define _GNU_SOURCE
#include "linkspan_platform.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <malloc.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

int linkspan_accept(int listener, struct sockaddr_storage *address) {
  socklen_t length = sizeof *address;
  return accept4(listener, (struct sockaddr *)address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int linkspan_tcp_socket(int family) {
  return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
}

int linkspan_signal_descriptor(const int *signals, int count, sigset_t *previous) {
  sigset_t set;
  sigemptyset(&set);
  for (int index = 0; index < count; index++) sigaddset(&set, signals[index]);
  pthread_sigmask(SIG_BLOCK, &set, previous);
  int descriptor = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  if (descriptor < 0) pthread_sigmask(SIG_SETMASK, previous, NULL);
  return descriptor;
}

int linkspan_signal_take(int descriptor) {
  struct signalfd_siginfo information;
  return read(descriptor, &information, sizeof information) == sizeof information
      ? (int)information.ssi_signo : 0;
}

int linkspan_epoll_watch(int epoll, int descriptor, int for_room) {
  struct epoll_event event = {
      .events = EPOLLIN | (for_room ? EPOLLOUT : 0) | EPOLLRDHUP | EPOLLET, .data.fd = descriptor};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int linkspan_epoll_watch_room(int epoll, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.fd = descriptor};
  return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event);
}

int linkspan_epoll_wait(int epoll, struct epoll_event *events, int limit, int64_t nanoseconds) {
  struct timespec timeout = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  int count = epoll_pwait2(epoll, events, limit, &timeout, NULL);
  if (count >= 0 || errno != ENOSYS) return count;
  return epoll_wait(epoll, events, limit, (int)(nanoseconds / 1000000));
}

int linkspan_event_readable(uint32_t events) {
  return (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
}

int linkspan_event_gone(uint32_t events) { return (events & (EPOLLHUP | EPOLLERR)) != 0; }

int linkspan_event_end(uint32_t events) {
  return (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
}

int linkspan_event_writable(uint32_t events) {
  return (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0;
}

int linkspan_usable_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  int count = CPU_COUNT(&set);
  return count > 0 ? count : 1;
}

int linkspan_hold(int folder, const char *name, int expects_folder) {
  int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  if (expects_folder) {
    int held = openat(folder, name, flags | O_DIRECTORY);
    if (held >= 0 || errno != ENOTDIR) return held;
  }
  return openat(folder, name, flags);
}

int linkspan_is_of_kernel(int held) {
  struct statfs system;
  if (fstatfs(held, &system) != 0) return -1;
  switch ((unsigned long)system.f_type) {
    case BINFMTFS_MAGIC:
    case BPF_FS_MAGIC:
    case CGROUP2_SUPER_MAGIC:
    case CGROUP_SUPER_MAGIC:
    case DEBUGFS_MAGIC:
    case DEVPTS_SUPER_MAGIC:
    case EFIVARFS_MAGIC:
    case NSFS_MAGIC:
    case PIPEFS_MAGIC:
    case PROC_SUPER_MAGIC:
    case PSTOREFS_MAGIC:
    case SECURITYFS_MAGIC:
    case SELINUX_MAGIC:
    case SMACK_MAGIC:
    case SOCKFS_MAGIC:
    case SYSFS_MAGIC:
    case TRACEFS_MAGIC:
    // Of the kernel's sources, not in linux/magic.h: AppArmor, configfs, FUSE's control, message queues, NFS's daemon,
    // RPC's pipes.
    case 0x5a3c69f0:
    case 0x62656570:
    case 0x65735543:
    case 0x19800202:
    case 0x6e667364:
    case 0x67596969: return 1;
    default: return 0;
  }
}

int linkspan_thread_become(uint32_t user, uint32_t group, const uint32_t *groups, int count) {
  // glibc's functions would change every thread. Only root may change groups: root is given up last and taken first.
  if (user == 0 && syscall(SYS_setresuid, -1, user, -1) != 0) return -1;
  if (syscall(SYS_setgroups, (size_t)count, groups) != 0) return -1;
  if (syscall(SYS_setresgid, -1, group, -1) != 0) return -1;
  return user == 0 ? 0 : (int)syscall(SYS_setresuid, -1, user, -1);
}

int linkspan_is_nameless_pipe(int pipe) {
  struct statfs system;
  return fstatfs(pipe, &system) == 0 && system.f_type == PIPEFS_MAGIC;
}

int linkspan_pipe_has_writer(int pipe) {
  int copy[2];
  if (pipe2(copy, O_CLOEXEC) != 0) return 1;
  // tee(2) leaves what it copies where it was; without a writer it finds the end, with one it would have to wait.
  int writer = tee(pipe, copy[1], 1, SPLICE_F_NONBLOCK) != 0;
  close(copy[0]);
  close(copy[1]);
  return writer;
}

int64_t linkspan_thread_milliseconds(int32_t clock) {
  struct timespec time;
  if (clock_gettime((clockid_t)clock, &time) != 0) return -1;
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int32_t linkspan_thread_clock(void) {
  clockid_t clock;
  return pthread_getcpuclockid(pthread_self(), &clock) == 0 ? (int32_t)clock : -1;
}

void linkspan_release_memory(void) {
  // malloc_trim leaves the free end of a thread's arena alone, which may be many megabytes. Only free gives that back,
  // above a threshold. The allocator raises it by itself up to 64 MB, and so that a busy loop does not give back what it
  // needs at once, that is where it stands in between. Setting it also fixes the size from which blocks are mapped, where
  // it stands then (mallopt(3)).
  mallopt(M_TRIM_THRESHOLD, 128 * 1024);
  // From 64 KB on, free looks at the end.
  void *volatile block = malloc(96 * 1024);
  free(block);
  mallopt(M_TRIM_THRESHOLD, 64 * 1024 * 1024);
  malloc_trim(0);
}

// Of linux/landlock.h, whose version in Debian 12 lacks the network.
struct landlock_ruleset { uint64_t handled_access_fs, handled_access_net; };
struct landlock_beneath { uint64_t allowed_access; int32_t parent_fd; } __attribute__((packed));
enum {
  LANDLOCK_READ = 1 << 2 | 1 << 3,       // READ_FILE, READ_DIR
  LANDLOCK_FILES_1 = (1 << 13) - 1,      // everything of the first version
  LANDLOCK_FILES_2 = (1 << 14) - 1,      // and REFER
  LANDLOCK_FILES_3 = (1 << 15) - 1,      // and TRUNCATE
  LANDLOCK_NET = 1 << 0 | 1 << 1,        // BIND_TCP, CONNECT_TCP
  LANDLOCK_BENEATH = 1, LANDLOCK_VERSION = 1,
  CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446,
};

int linkspan_confine(const int *folders, int count) {
  long version = syscall(CREATE_RULESET, NULL, 0, LANDLOCK_VERSION);
  if (version < 1) return errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM ? 0 : -1;
  struct landlock_ruleset ruleset = {
    version >= 3 ? LANDLOCK_FILES_3 : version == 2 ? LANDLOCK_FILES_2 : LANDLOCK_FILES_1,
    version >= 4 ? LANDLOCK_NET : 0,
  };
  size_t size = version >= 4 ? sizeof ruleset : sizeof ruleset.handled_access_fs;
  int rules = (int)syscall(CREATE_RULESET, &ruleset, size, 0);
  if (rules < 0) return -1;
  int problem = 0;
  for (int index = 0; index < count && !problem; index++) {
    struct landlock_beneath rule = {LANDLOCK_READ, folders[index]};
    if (syscall(ADD_RULE, rules, LANDLOCK_BENEATH, &rule, 0)) problem = errno;
  }
  if (!problem && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) problem = errno;
  if (!problem && syscall(RESTRICT_SELF, rules, 0)) problem = errno;
  close(rules);
  errno = problem;
  return problem ? -1 : 1;
}

int linkspan_can_confine(void) { return syscall(CREATE_RULESET, NULL, 0, LANDLOCK_VERSION) >= 1; }

int linkspan_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

void linkspan_restrict_work(int seconds) {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  struct rlimit time = {seconds, seconds}, core = {0, 0};
  setrlimit(RLIMIT_CPU, &time);
  setrlimit(RLIMIT_CORE, &core);
}

static int queue(int file, int command, short type) {
  // The whole file; zero is what the kernel expects of a process identifier here.
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
  return fcntl(file, command, &lock) == 0 && (command != F_OFD_GETLK || lock.l_type != F_UNLCK);
}

int linkspan_queue_up(int file) { return queue(file, F_OFD_SETLK, F_RDLCK); }

void linkspan_queue_leave(int file) { queue(file, F_OFD_SETLK, F_UNLCK); }

int linkspan_queue_has_others(int file) { return queue(file, F_OFD_GETLK, F_WRLCK); }
