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
}
