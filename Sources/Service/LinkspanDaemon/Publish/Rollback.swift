package import LinkspanCore
internal import LinkspanFiles
package import LinkspanServer

/// Earlier publications of one host, and the choice of one of them.
package struct Rollback {
  package let host: String
  /// Newest first; the newest one is what is served.
  package let entries: [PublicationHistory.Entry]
  /// The decision that has the newest one served; nil where the folder decides.
  package let standing: Standing?

  /// - Parameters:
  ///   - state: The folder of the history, as `serve` was given it.
  ///   - wantsAssociationFiles: Whether a publication whose bytes are no association file is left out.
  ///   - tellDamage: Called for each publication that is left out, with a sentence for the operator.
  /// - Throws: That the name is no host, that the state cannot be read, or that it has no publication of the host.
  package init(
    of host: String, state: String, wantsAssociationFiles: Bool, tellDamage: (String) -> Void
  ) throws(LinkspanError) {
    try self.init(
      of: host, in: PublicationHistory(state: state), wantsAssociationFiles: wantsAssociationFiles,
      tellDamage: tellDamage)
  }

  init(
    of host: String, in history: PublicationHistory, wantsAssociationFiles: Bool,
    tellDamage: (String) -> Void
  ) throws(LinkspanError) {
    if let fault = ServedHost.fault(of: host) {
      throw LinkspanError(fault + ".", help: "Name the host itself, such as example.com.")
    }
    self.host = host
    entries = try history.entries(
      of: host, wantsAssociationFiles: wantsAssociationFiles, tellDamage: tellDamage)
    if let newest = entries.first {
      standing = try history.standing(of: newest.site)
      return
    }
    let hosts = try history.hosts().compactMap { $0 }
    throw LinkspanError(
      "has no publication of '\(host)'", at: history.state,
      help: hosts.isEmpty
        ? "It has no publication of any host: start 'serve' with this --state first."
        : "It has publications of \(hosts.prefix(8).joined(separator: ", ")).")
  }

  /// The publication with this number, or else the one before what is served.
  ///
  /// - Throws: That there is no such publication, or that it has no association file.
  package func chosen(_ number: Int?) throws(LinkspanError) -> PublicationHistory.Entry {
    let entry = try found(number)
    guard entry.site.associationFile != nil else {
      throw LinkspanError(
        "publication \(entry.number) of '\(host)' has no association file.",
        help: "Choose another publication with --to.")
    }
    return entry
  }

  private func found(_ number: Int?) throws(LinkspanError) -> PublicationHistory.Entry {
    if let number {
      if let entry = entries.first(where: { $0.number == number }) { return entry }
      let known = entries.map { String($0.number) }.joined(separator: ", ")
      throw LinkspanError("there is no publication \(number) of '\(host)'.", help: "There are \(known).")
    }
    let line = Self.line(of: entries)
    guard let newest = line.last else {
      throw LinkspanError(
        "no publication of '\(host)' has an association file.", help: "There is nothing to go back to.")
    }
    guard line.count > 1 else {
      if newest.origin == .unknown, let before = before(newest.site) { return before }
      throw LinkspanError(
        "what is served for '\(host)' is its oldest publication (number \(newest.number)).",
        help: "There is nothing to go back to; --list shows what came later, and --to serves it.")
    }
    return line[line.count - 2]
  }

  /// What was published before what is served was published the last time, so that A, B and A again go back to B.
  private func before(_ now: AssociationSite) -> PublicationHistory.Entry? {
    let files = entries.drop { !Self.isSame($0.site, now) }
    return files.first { $0.site.associationFile != nil && !Self.isSame($0.site, now) }
  }

  /// Whether both files are the same: a change of `assetlinks.json` alone is a publication, too.
  private static func isSame(_ one: AssociationSite, _ other: AssociationSite) -> Bool {
    one.associationFile == other.associationFile && one.assetLinks == other.assetLinks
  }

  /// The publications that led to the newest one, oldest first. What was between a rollback and the publication it went
  /// back to is left out: so each rollback goes back one further. Where a record does not say whether it was a
  /// rollback, the content of an earlier publication is taken for one.
  private static func line(of entries: [PublicationHistory.Entry]) -> [PublicationHistory.Entry] {
    var line: [PublicationHistory.Entry] = []
    for entry in entries.reversed() {
      guard entry.site.associationFile != nil else { continue }
      let same =
        switch entry.origin {
        case .published: line.last.map { isSame($0.site, entry.site) } == true ? line.count - 1 : nil
        case .rolledBack(let number):
          line.lastIndex { $0.number == number && isSame($0.site, entry.site) }
        case .unknown: line.firstIndex { isSame($0.site, entry.site) }
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
