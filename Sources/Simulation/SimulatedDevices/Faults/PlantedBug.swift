/// A mistake put into the simulator on purpose, to see whether the invariants find it. No story can ask for one.
package enum PlantedBug: String, Hashable, Sendable, CaseIterable {
  /// Apple's CDN forgets a failure at once instead of after its time (C6).
  case negativeCacheIgnored = "negative-cache-ignored"
  /// A device drops an approved file when a re-check meets what passes, such as a timeout (R1, V7).
  case storedFileDropped = "stored-file-dropped-on-timeout"
  /// The system hands a running app the same payload twice (LC1).
  case callbackTwice = "callback-delivered-twice"
  /// An app's cover goes before the picture for the switcher is taken (LC5).
  case coverRemovedEarly = "cover-removed-early"
}
