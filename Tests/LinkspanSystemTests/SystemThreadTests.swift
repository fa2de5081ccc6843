import Glibc
import LinkspanCore
import Testing

@testable import LinkspanSystem

/// What is asked of the operating system: threads, the wake-ups between them, and its errors.
@Suite("System", .timeLimit(.minutes(10)))
struct SystemThreadTests {
  @Test(arguments: [SIGTERM, SIGHUP, SIGPIPE])
  func aThreadLeavesSignalsToOthers(_ signal: CInt) throws {
    let isBlocked = LockedState<[Bool]>([])
    let note: @Sendable () -> Void = {
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      isBlocked.withLock { $0.append(sigismember(&mask, signal) == 1) }
      isBlocked.signal(all: true)
    }
    try JoinableThread(note).join()
    #expect(isBlocked.withLock { $0 } == [true])
    try DetachedThread.start(note)
    #expect(isBlocked.wait { $0.count == 2 ? $0 : nil } == [true, true])
  }

  @Test func makingAThreadLeavesTheMakersSignals() throws {
    var (before, after) = (sigset_t(), sigset_t())
    pthread_sigmask(SIG_BLOCK, nil, &before)
    try JoinableThread {}.join()
    pthread_sigmask(SIG_BLOCK, nil, &after)
    for signal in [SIGINT, SIGTERM, SIGUSR2] {
      #expect(sigismember(&before, signal) == sigismember(&after, signal))
    }
  }

  @Test func aThreadThatIsRefusedSaysWhyAndWhatToDo() {
    let error = SystemThread.refused(EAGAIN)
    #expect(error.message == "a thread cannot be started: Resource temporarily unavailable.")
    #expect(error.code == EAGAIN && error.help?.contains("TasksMax=") == true)
  }

  @Test func aSignalStaysUntilItIsDrained() throws {
    let wakeup = try Wakeup()
    func isReadable() -> Bool {
      var entry = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&entry, 1, 0) == 1
    }
    #expect(!isReadable())
    wakeup.drain()
    wakeup.signal()
    wakeup.signal()
    #expect(isReadable())
    wakeup.wait()
    wakeup.drain()
    #expect(!isReadable())
  }

  @Test func aWaitEndsByASignalOfAnotherThread() throws {
    let wakeup = try Wakeup()
    let thread = try JoinableThread { wakeup.signal() }
    wakeup.wait()
    thread.join()
    wakeup.wait(atMost: 0)
  }

  @Test func anErrorKeepsItsNumber() {
    let place = LinkspanError("cannot be read", at: "/a", errno: EACCES, help: "chmod")
    #expect(place.message == "'/a' cannot be read: Permission denied." && place.code == EACCES)
    let elsewhere = LinkspanError("no event descriptor", errno: EMFILE)
    #expect(elsewhere.message == "no event descriptor: Too many open files." && elsewhere.code == EMFILE)
    #expect(LinkspanError("cannot be read", at: "/a", why: "it is empty").code == nil)
  }
}
