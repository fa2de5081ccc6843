package import LinkspanCore

/// Puts files into directories that somebody else may write, too.
package enum SiteWriter {
  /// Puts a file into a directory that a person named, and nowhere else: a link in its place is refused. Root acts as the
  /// owner of the directory, so that nothing planted there reaches further than its owner does.
  ///
  /// - Throws: Why it cannot be written; what was there is then as it was.
  package static func place(_ bytes: [UInt8], as name: String, in folder: String) throws(LinkspanError) {
    let place = try OpenFolder(folder)
    try Privileges.asOwner(of: place) { () throws(LinkspanError) in try place.replace(name, by: bytes) }
  }

  /// Opens a directory by the path a person named, and makes what of it isn't there. Root makes each as the owner of the one
  /// around it.
  ///
  /// - Throws: Why it cannot be made or opened, also for links of others on the way.
  package static func madeFolder(_ path: String) throws(LinkspanError) -> OpenFolder {
    guard try FileReader.kind(of: path) == .missing else { return try OpenFolder(path) }
    let (parent, name) = FileReader.place(of: path)
    let around = try madeFolder(parent)
    if name == "." { return around }
    return try Privileges.asOwner(of: around) { () throws(LinkspanError) in try around.madeFolder(name) }
  }

  /// Refuses what ``madeFolder(_:)`` would refuse, and a directory in which nothing could be written then. Leaves nothing
  /// behind.
  ///
  /// - Throws: Why it cannot be made, opened or written.
  package static func refuseUnfit(_ path: String) throws(LinkspanError) {
    var (place, missing) = (path, ".")
    while try FileReader.kind(of: place) == .missing { (place, missing) = FileReader.place(of: place) }
    let folder = try OpenFolder(place)
    // What is there and leads nowhere.
    if missing != ".", try folder.kind(of: missing) != .missing {
      throw LinkspanError(
        "is a link to a directory that is not there", at: folder.path(of: missing),
        help: "Fix the link, or remove it.")
    }
    do throws(LinkspanError) {
      try Privileges.asOwner(of: folder) { () throws(LinkspanError) in try folder.refuseUnwritable() }
    } catch {
      throw LinkspanError("cannot be written", at: place, why: error.reason ?? error.what, help: error.help)
    }
  }
}
