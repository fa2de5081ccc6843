internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer

/// What is on the disk of the folder of a host: everything, unless there is a mark that says otherwise.
///
/// A process that dies between a change and its `fsync`, or whose `fsync` fails, leaves a mark. So a start waits for the disk
/// only where that happened, and not ten thousand times. A mark needs no `fsync`: it is for the next process on this machine,
/// since everything that is read after a power cut comes from the disk.
extension PublicationHistory {
  /// Is there while names in the folder change.
  private static let changing = ".changing"
  /// Holds a record that was removed until its removal is on the disk.
  private static let forgotten = ".forgotten"
  /// Names that say what is not on the disk yet.
  package static let marks = [changing, forgotten]

  /// Changes names in the folder of a host.
  ///
  /// - Parameter body: Returns when what it changed is on the disk; the mark stays where it throws.
  func changing(
    _ home: any StateFolder, _ body: () throws(LinkspanError) -> Void
  ) throws(LinkspanError) {
    _ = try home.madeInner(Self.changing)
    try body()
    unmark(Self.changing, in: home)
  }

  /// Takes a mark away. What it stood for is on the disk, so one that stays costs the next start an `fsync` and nothing else.
  private func unmark(_ mark: String, in home: any StateFolder) {
    do throws(LinkspanError) {
      try home.remove(mark)
    } catch {
      // Whoever was told that the change failed would go on as if it had not been made.
    }
  }

  /// Removes a record for good: without the power it would come back, and with it a decision that somebody has ended. That
  /// works on a full disk, where nothing can be made.
  func forget(_ name: String, in home: any StateFolder) throws(LinkspanError) {
    guard try home.kind(of: name) == .file else { return try home.remove(name) }
    try home.rename(name, to: Self.forgotten)
    try home.sync()
    unmark(Self.forgotten, in: home)
  }

  /// Goes on with what a process before this one left: all of it is on the disk when this returns, and what it did not bring to
  /// its end is gone. What is served from now on must not depend on the power.
  ///
  /// - Parameter newest: What is served; nil for a host without a publication.
  func takeOver(
    _ home: any StateFolder, _ names: [String], newest: AssociationSite?
  ) throws(LinkspanError) {
    let marks = Self.marks.filter(names.contains)
    if !marks.isEmpty { try writing { () throws(LinkspanError) in try home.sync() } }
    for name in names where name.hasPrefix(Self.prepared) { try home.remove(name) }
    if let newest, names.contains(Self.standing) { try removeStrayStanding(in: home, newest: newest) }
    for mark in marks { try home.remove(mark) }
  }
}
