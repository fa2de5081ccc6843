internal import Glibc
internal import Synchronization

/// Ctrl-C for a command that ends its work in order: the first one asks for that, the second one ends the program.
package enum Interruption {
  private static let isNoted = Atomic<Bool>(false)

  /// Whether somebody has asked the program to end.
  package static var isAskedFor: Bool { isNoted.load(ordering: .relaxed) }

  /// - Parameter alsoTermination: Whether SIGTERM asks for it, too, as service managers do.
  package static func watch(alsoTermination: Bool = false) {
    // The handler may not be the first to touch it.
    isNoted.store(false, ordering: .relaxed)
    // Whoever started the program may have blocked them, as threads of Dispatch do.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in alsoTermination ? [SIGINT, SIGTERM] : [SIGINT] {
      sigaddset(&signals, number)
      signal(number) { _ in
        Interruption.isNoted.store(true, ordering: .relaxed)
        Interruption.leave()
      }
    }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// From now on the first one ends the program, as before ``watch(alsoTermination:)``.
  package static func leave() {
    signal(SIGINT, SIG_DFL)
    signal(SIGTERM, SIG_DFL)
  }
}
