internal import LinkspanCore

/// Why the registry could not do what it was asked to do. Nothing in it is secret.
package struct RegistryError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// The address names no store: a scheme that does not exist, or no path.
    case unusableAddress
    /// The store cannot be opened or is not a registry.
    case cannotOpen
    /// A newer version of this program has written the store.
    case newerStore
    /// The store does not answer or has no room. Nothing was changed; the same request may succeed later.
    case unavailable
    /// What was to be erased is gone from the tables, but its bytes are still in the store's log. Erasing again empties it.
    case unfinishedErasure
    /// The connection broke, or `fsync` failed, while a change was being committed, so it may have been made. Repeating it is safe for
    /// registrations, and for everything else with an idempotency key.
    case uncertain
    /// More changes wait than the registry holds.
    case overloaded
    /// The values contradict each other or the store's rules.
    case refused
    /// The store answered something that this program does not understand.
    case damaged
  }

  package let kind: Kind
  /// What is wrong and where, a whole sentence.
  package let message: String
  /// What to do; nil where nothing better than the message can be said.
  package let help: String?
  /// Whether a connection broke or could not be made; it is opened again by itself when the server is back.
  package let isDisconnected: Bool
  /// Whether another transaction was in the way, so that nothing was changed, and the same change can be made at once.
  package let isConflict: Bool
  /// Whether another program held a lock for longer than it was waited for. Nothing was changed.
  package let isLocked: Bool
  /// Whether only a part of the store may be concerned, so that a change of another part tells nothing about it: a table that is
  /// missing, or on which a right is.
  package let isPartial: Bool

  package init(
    _ kind: Kind, _ message: String, help: String? = nil, isDisconnected: Bool = false,
    isConflict: Bool = false, isLocked: Bool = false, isPartial: Bool = false
  ) {
    self.isPartial = isPartial
    self.isLocked = isLocked
    self.kind = kind
    self.message = message
    self.help = help
    self.isDisconnected = isDisconnected
    self.isConflict = isConflict
  }

  /// What to do where a value breaks a rule of the store's tables.
  package static let contradicted =
    "A value contradicts what is stored. Look at what is there, and send the request with other values."

  package var description: String { .explained(message, help: help) }
}
