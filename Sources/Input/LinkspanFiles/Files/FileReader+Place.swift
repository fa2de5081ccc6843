extension FileReader {
  /// The directory that holds what a path names, and its name there.
  package static func place(of path: String) -> (folder: String, name: String) {
    var path = Substring(path)
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard let slash = path.lastIndex(of: "/") else { return (".", String(path)) }
    return (
      slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...])
    )
  }
}
