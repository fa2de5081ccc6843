internal import DeviceRegistry
internal import Glibc
package import LinkspanCore
internal import LinkspanFiles
package import PushConnections
internal import PushProvider
package import PushTerms
internal import RegistryDatabases

/// What a sender has from the world around it: time, chance and connections. A simulation has others.
package struct SenderSurroundings: Sendable {
  package var now: @Sendable () -> WallTime
  package var random: @Sendable () -> UInt64
  /// Does nothing for a while.
  package var pause: @Sendable (Duration) -> Void
  /// Connections of an account to an environment; nil for sockets.
  package var wire: (@Sendable (PushEnvironment) -> any PushWire)?

  package init(
    now: @escaping @Sendable () -> WallTime, random: @escaping @Sendable () -> UInt64,
    pause: @escaping @Sendable (Duration) -> Void,
    wire: (@Sendable (PushEnvironment) -> any PushWire)? = nil
  ) {
    self.now = now
    self.random = random
    self.pause = pause
    self.wire = wire
  }

  static let real = SenderSurroundings(
    now: { CurrentTime.now }, random: { .random(in: .min ... .max) },
    pause: { usleep(UInt32(clamping: $0.wholeMilliseconds) * 1_000) })

  func wire(_ account: SenderAccount, _ environment: PushEnvironment) -> any PushWire {
    if let wire { return wire(environment) }
    let place = account.place(for: environment)
    return SocketWire(
      PushAccount(account.signer, scheme: place.scheme, authority: place.authority, trust: account.trust),
      patience: RegistryStore.answerPatience)
  }
}
