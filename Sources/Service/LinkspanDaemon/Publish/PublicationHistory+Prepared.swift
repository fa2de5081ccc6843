internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer

/// Publications on their way: they are on the disk before it is decided that they are served, and count from then on.
extension PublicationHistory {
  /// A publication that is on the disk, and that no start serves and no rollback offers.
  struct Prepared: Sendable {
    let site: AssociationSite
    /// Who sent it over the API.
    fileprivate let author: String?
    /// The number that it takes unless another publication has come between.
    fileprivate let number: Int
    fileprivate let name: String
  }

  static let prepared = ".prepared-"

  /// Writes a publication beside the others. Any thread may do this for a host while another one publishes.
  ///
  /// - Parameters:
  ///   - author: Who sent it over the API; nil for files of a folder.
  ///   - identifier: Tells apart what one process prepares for a host.
  /// - Throws: Why it cannot be written.
  func prepare(
    _ site: AssociationSite, of author: String?, at time: WallTime, as identifier: Int
  ) throws(LinkspanError) -> Prepared {
    let name = Self.prepared + String(identifier)
    var next = 0
    do throws(LinkspanError) {
      try inMadeHome(of: site.host) { home throws(LinkspanError) in
        next = try Self.nextNumber(in: home)
        try write(site, at: time, next, Self.members(rolledBackTo: nil, author), as: name, in: home)
      }
    } catch {
      // Each attempt has another name, which is gone with it, and with another message each would be news for the log.
      throw LinkspanError(error.message.replacing("/" + name, with: ""), help: error.help)
    }
    return Prepared(site: site, author: author, number: next, name: name)
  }

  /// Has a prepared publication be the newest one; when this returns that is on the disk.
  ///
  /// - Throws: Why it cannot be kept. What was kept before is untouched then.
  func publish(_ prepared: Prepared, at time: WallTime) throws(LinkspanError) {
    let isDone = try writing { () throws(LinkspanError) in
      try inHome(of: prepared.site.host, else: false) { home throws(LinkspanError) in
        guard try home.kind(of: prepared.name) == .folder, try Self.nextNumber(in: home) == prepared.number
        else { return false }
        try put(prepared.name, as: prepared.number, in: home)
        return true
      }
    }
    if isDone { return }
    // A rollback has taken its number, which its record names.
    try discard(prepared)
    try add(prepared.site, at: time, author: prepared.author)
  }

  /// Forgets a prepared publication.
  func discard(_ prepared: Prepared) throws(LinkspanError) {
    try inHome(of: prepared.site.host, else: ()) { home throws(LinkspanError) in
      try home.remove(prepared.name)
    }
  }

  /// Gives what was written its number, and removes what is too old.
  func put(_ name: String, as number: Int, in home: any StateFolder) throws(LinkspanError) {
    try changing(home) { () throws(LinkspanError) in
      try home.rename(name, to: Self.text(number))
      do throws(LinkspanError) {
        try home.sync()
      } catch {
        // Its name may be on the disk or not: nobody is to find one that was not served.
        try home.rename(Self.text(number), to: name)
        throw error
      }
    }
    do throws(LinkspanError) {
      for old in try Self.numbers(in: home).dropLast(count) { try home.remove(Self.text(old)) }
      try home.remove(Self.withdrawn)
    } catch {
      // It is kept; the next one removes what is too old, and a note of another number says nothing.
    }
  }
}
