package import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer

/// Earlier publications of one host, and putting one of them back.
package struct Rollback {
  package let host: String
  /// Newest first.
  package let entries: [PublicationHistory.Entry]
  private let history: PublicationHistory
  /// The rollback that was made last, where it is not published yet.
  private let mark: PublicationHistory.Mark?

  /// - Parameters:
  ///   - state: The folder of the history, as `serve` was given it.
  ///   - wantsAssociationFiles: Whether a publication whose bytes are no association file is left out.
  ///   - tellDamage: Called for each publication that is left out, with a sentence for the operator.
  /// - Throws: That the name is no host, that the state cannot be read, or that it has no publication of the host.
  package init(
    of host: String, state: String, wantsAssociationFiles: Bool, tellDamage: (String) -> Void
  ) throws(LinkspanError) {
    if let fault = ServedHost.fault(of: host) {
      throw LinkspanError(fault + ".", help: "Name the host itself, such as example.com.")
    }
    self.host = host
    let history = PublicationHistory(state: state)
    self.history = history
    entries = try history.entries(
      of: host, wantsAssociationFiles: wantsAssociationFiles, tellDamage: tellDamage)
    mark = try history.mark(of: host)
    guard entries.isEmpty else { return }
    let hosts = try history.hosts().compactMap { $0 }
    throw LinkspanError(
      "has no publication of '\(host)'", at: state,
      help: hosts.isEmpty
        ? "It has no publication of any host: start 'serve' with this --state first."
        : "It has publications of \(hosts.prefix(8).joined(separator: ", ")).")
  }

  /// Puts a publication's association file in its place, as the owner of the place when this process is root.
  ///
  /// - Parameter number: The publication; nil for the one before what lies there now.
  /// - Returns: The publication that was put back; and what the person should know: what keeps the history from knowing
  ///   that, so that another rollback may go back to a wrong one, and where a file is kept that was never published.
  /// - Throws: That there is no such publication, or why the file cannot be written; it is then as it was.
  package func putBack(_ number: Int?, in place: RollbackPlace) throws(LinkspanError)
    -> (entry: PublicationHistory.Entry, warning: String?)
  {
    let entry = try Privileges.asOwner(of: place.folder) { () throws(LinkspanError) in
      try chosen(number, current(place))
    }
    guard let bytes = entry.site.associationFile else {
      throw LinkspanError(
        "publication \(entry.number) of '\(host)' has no association file.",
        help: "Remove the file by hand, or choose another publication with --to.")
    }
    // Before the file, since 'serve' may publish that at once.
    var warning: String?
    do throws(LinkspanError) {
      try history.mark(entry, of: host)
    } catch {
      warning =
        "the state doesn't know of this rollback, so name the publication with --to next time: \(error.message)"
    }
    let kept = try Privileges.asOwner(of: place.folder) { () throws(LinkspanError) -> String? in
      let kept = try keepUnpublished(place)
      try place.folder.replace(place.name, by: bytes)
      return kept
    }
    let notes = [warning, kept.map { "what lay there is in no publication, and is kept as '\($0)'" }]
    let told = notes.compactMap(\.self)
    return (entry, told.isEmpty ? nil : told.joined(separator: "; "))
  }

  /// Keeps what lies in the place where the history cannot bring it back.
  ///
  /// - Returns: The path of the copy.
  private func keepUnpublished(_ place: RollbackPlace) throws(LinkspanError) -> String? {
    guard let now = try current(place), !now.isEmpty,
      !entries.contains(where: { $0.site.associationFile == now })
    else { return nil }
    return try place.folder.keepCopy(of: place.name, now)
  }

  /// What lies in the place; nil when nothing does, or nothing that could have been published.
  private func current(_ place: RollbackPlace) throws(LinkspanError) -> [UInt8]? {
    switch try place.folder.kind(of: place.name) {
    case .missing: nil
    case .file: try place.folder.bytes(of: place.name, limitBytes: FileReader.sizeLimitBytes)
    // Replacing it says so in better words.
    case .folder, .link, .special: nil
    }
  }

  private func chosen(_ number: Int?, _ now: [UInt8]?) throws(LinkspanError) -> PublicationHistory.Entry {
    if let number {
      if let entry = entries.first(where: { $0.number == number }) { return entry }
      let known = entries.map { String($0.number) }.joined(separator: ", ")
      throw LinkspanError("there is no publication \(number) of '\(host)'.", help: "There are \(known).")
    }
    let line = Self.line(of: entries)
    let marked = mark.flatMap { mark in
      line.lastIndex {
        $0.number == mark.number && $0.digest == mark.digest && $0.site.associationFile == now
      }
    }
    guard let place = marked ?? line.lastIndex(where: { $0.site.associationFile == now }) else {
      if let newest = line.last { return newest }
      throw LinkspanError(
        "no publication of '\(host)' has an association file.", help: "There is nothing to go back to.")
    }
    guard place > 0 else {
      if line[place].origin == .unknown, let before = before(now) { return before }
      throw LinkspanError(
        "what lies in the directory of '\(host)' is its oldest publication (number \(line[place].number)).",
        help: "There is nothing to go back to; --list shows what came later, and --to puts it back.")
    }
    return line[place - 1]
  }

  /// What was published before what lies there was published the last time, so that A, B and A again go back to B.
  private func before(_ now: [UInt8]?) -> PublicationHistory.Entry? {
    let files = entries.drop { $0.site.associationFile != now }
    return files.first { $0.site.associationFile != nil && $0.site.associationFile != now }
  }

  /// The publications that led to the newest one, oldest first. What was between a rollback and the publication it went
  /// back to is left out: so each rollback goes back one further. Where a record does not say whether it was a
  /// rollback, the content of an earlier publication is taken for one.
  private static func line(of entries: [PublicationHistory.Entry]) -> [PublicationHistory.Entry] {
    var line: [PublicationHistory.Entry] = []
    for entry in entries.reversed() {
      guard let bytes = entry.site.associationFile else { continue }
      let same =
        switch entry.origin {
        case .published: line.last?.site.associationFile == bytes ? line.count - 1 : nil
        case .rolledBack(let number):
          line.lastIndex { $0.number == number && $0.site.associationFile == bytes }
        case .unknown: line.firstIndex { $0.site.associationFile == bytes }
        }
      if let same {
        line.removeSubrange((same + 1)...)
        line[same] = entry
      } else {
        line.append(entry)
      }
    }
    return line
  }
}
