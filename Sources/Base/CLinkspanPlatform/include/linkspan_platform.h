#pragma once
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// What glibc offers only under _GNU_SOURCE, which Swift's importer does not define.

// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC; -1 and errno on failure.
int linkspan_accept(int listener, struct sockaddr_storage *address);

// A TCP socket with SOCK_NONBLOCK and SOCK_CLOEXEC; -1 and errno on failure.
int linkspan_tcp_socket(int family);

// Blocks the signals in this thread, keeps the mask before that in `previous`, and returns a descriptor that becomes
// readable when one is pending; -1 and errno on failure, the mask then being as it was.
int linkspan_signal_descriptor(const int *signals, int count, sigset_t *previous);

// Takes one pending signal off the descriptor; 0 when there is none.
int linkspan_signal_take(int descriptor);

// Watches for reading, hang-up and, if wanted, room to write, edge-triggered; the event carries the descriptor.
int linkspan_epoll_watch(int epoll, int descriptor, int for_room);

// Watches for room to write as well.
int linkspan_epoll_watch_room(int epoll, int descriptor);

// epoll_pwait2, whose timeout is in nanoseconds; rounded down to milliseconds where the kernel lacks it.
int linkspan_epoll_wait(int epoll, struct epoll_event *events, int limit, int64_t nanoseconds);

// EPOLLIN, EPOLLRDHUP, EPOLLHUP or EPOLLERR is set.
int linkspan_event_readable(uint32_t events);

// EPOLLRDHUP, EPOLLHUP or EPOLLERR is set.
int linkspan_event_end(uint32_t events);

// EPOLLHUP or EPOLLERR is set.
int linkspan_event_gone(uint32_t events);

// EPOLLOUT, EPOLLHUP or EPOLLERR is set.
int linkspan_event_writable(uint32_t events);

// Cores that this thread may run on (sched_getaffinity), as `taskset` restricts them; 1 when the system does not tell.
int linkspan_usable_cores(void);

// Holds whatever has a name in a directory without opening it for reading (O_PATH), a symbolic link itself included: that
// waits for nothing and has no effect. Where a directory is expected, one that is mounted when it is needed (autofs) is
// mounted. -1 and errno on failure.
int linkspan_hold(int folder, const char *name, int expects_folder);

// Whether something that is held lies on a file system of the kernel's own, such as /proc and /sys, whose files tell about
// processes and the machine; -1 and errno on failure.
int linkspan_is_of_kernel(int held);

// Changes effective user, effective group and groups of the calling thread alone: from root to another user, or back to
// root. Threads that it starts begin with its rights. -1 and errno on failure, some of it being changed then.
int linkspan_thread_become(uint32_t user, uint32_t group, const uint32_t *groups, int count);

// A lock that any number of processes may have on an open file, and that is nothing to those of flock(2). Whether this has it
// now; a network file system may refuse it.
int linkspan_queue_up(int file);

// Gives back the lock of linkspan_queue_up.
void linkspan_queue_leave(int file);

// Whether another opening of the file has the lock of linkspan_queue_up.
int linkspan_queue_has_others(int file);

// Whether a pipe has no name in any folder, as one between two programs of a shell.
int linkspan_is_nameless_pipe(int pipe);

// Whether a program has the writing end of a pipe open, or something can be read from it; 0 at its end. Reads nothing.
int linkspan_pipe_has_writer(int pipe);

// Processor time that the thread of `clock` used, in milliseconds; -1 when the thread is gone.
int64_t linkspan_thread_milliseconds(int32_t clock);

// The clock of the calling thread, for linkspan_thread_milliseconds; -1 when there is none.
int32_t linkspan_thread_clock(void);

// Gives memory that was freed back to the system: of all threads' arenas what lies between blocks (malloc_trim), and of
// the calling thread's also what lies behind the last one.
void linkspan_release_memory(void);

// Forbids this process, for good, to open any file for writing, to open any for reading that does not lie below one of
// the open folders, and to bind or connect TCP where the kernel can forbid that (Landlock). 1 when it is in force, 0
// where the kernel has no Landlock, -1 and errno on failure.
int linkspan_confine(const int *folders, int count);

// Whether the kernel can do that.
int linkspan_can_confine(void);

// A file in memory, for handing bytes to another process; -1 and errno on failure.
int linkspan_memory_file(const char *name);

// Ends this process when its parent ends, and after so many seconds of processor time; it leaves no core file.
void linkspan_restrict_work(int seconds);
