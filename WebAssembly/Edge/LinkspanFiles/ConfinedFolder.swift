package import LinkspanCore

/// What a folder is opened for. The host decides where symbolic links lead.
package enum LinkPolicy: Sendable {
  case named
  case serving(linkRoots: [String])
}

/// A directory by its path.
package struct OpenFolder {
  package let path: String

  package enum Kind {
    case file, folder, link, missing, special
  }

  package func path(of name: String) -> String { path == "." ? name : "\(path)/\(name)" }

  package func names() throws(LinkspanError) -> [String] { try FileReader.names(in: path) }

  /// A symbolic link is not followed.
  package func kind(of name: String) throws(LinkspanError) -> Kind {
    try FileReader.entry(of: path(of: name))
  }
}

/// A file of a folder, not read yet.
package struct OpenEntry {
  fileprivate let content: [UInt8]
  package var sizeBytes: Int { content.count }

  package func bytes(limitBytes: Int, as path: String) throws(LinkspanError) -> [UInt8] { content }
}

/// A folder of hosts, or the one of a host, and the files in it.
package struct ConfinedFolder {
  package let folder: OpenFolder
  package var path: String { folder.path }
  package var mayHoldHosts: Bool { true }

  package enum Role {
    case sites, host, files
  }

  package enum Member {
    case folder(ConfinedFolder)
    case linkToNothing
    case other
  }

  package init(_ path: String, _ policy: LinkPolicy, _ role: Role) throws(LinkspanError) {
    folder = OpenFolder(path: path)
  }

  package func names() throws(LinkspanError) -> [String] { try folder.names() }

  package func member(_ name: String) throws(LinkspanError) -> Member {
    let path = folder.path(of: name)
    switch try FileReader.kind(of: path) {
    case .folder: return .folder(try ConfinedFolder(path, .named, .host))
    case .missing where try folder.kind(of: name) == .link: return .linkToNothing
    case .file, .missing, .special: return .other
    }
  }

  package func directory(_ relative: String) throws(LinkspanError) -> OpenFolder? {
    let path = folder.path(of: relative)
    return try FileReader.kind(of: path) == .folder ? OpenFolder(path: path) : nil
  }

  package func file(_ relative: String) throws(LinkspanError) -> OpenEntry? {
    let path = folder.path(of: relative)
    switch try FileReader.kind(of: path) {
    case .missing where try folder.kind(of: relative) == .link:
      throw LinkspanError(
        "is a link to a file that is not there", at: path, help: "Fix the link, or remove it.")
    case .missing: return nil
    case .folder:
      throw LinkspanError(
        "is a directory; expected a file", at: path, help: "Put the file itself in its place, or remove it.")
    case .special:
      throw LinkspanError(
        "is not a regular file", at: path, help: "Put the file itself in its place, or remove it.")
    case .file: return OpenEntry(content: try FileReader.bytes(path))
    }
  }
}
