package import LinkspanCore
internal import WebHost

/// Reads what a person named, whole and bounded, from the files that the module's host has.
package enum FileReader {
  package static let sizeLimitBytes = 64 << 20

  package enum Kind {
    case file, folder, missing, special
  }

  package static func read(_ path: String) throws(LinkspanError) -> SourceText {
    SourceText(name: path == "-" ? "<stdin>" : path, bytes: try bytes(path))
  }

  package static func bytes(_ path: String) throws(LinkspanError) -> [UInt8] {
    if path != "-", try kind(of: path) == .folder {
      throw LinkspanError("is a directory; expected a file", at: path)
    }
    let bytes = try answered(.read, path)
    guard bytes.count <= sizeLimitBytes else {
      throw LinkspanError("has more than \(sizeLimitBytes >> 20) MB, the limit for input files", at: path)
    }
    return bytes
  }

  /// What to say of a name from a folder that leads nowhere, because it is not UTF-8; nil for any other.
  package static func misnamed(_ path: String) -> LinkspanError? {
    guard path.unicodeScalars.contains("\u{FFFD}"), (try? kind(of: path)) == .missing else { return nil }
    return .nameNotUTF8(path)
  }

  package static func kind(of path: String) throws(LinkspanError) -> Kind {
    switch String(decoding: try answered(.kind, path), as: UTF8.self) {
    case "file": return .file
    case "folder": return .folder
    case "special": return .special
    default: return .missing
    }
  }

  /// What lies in a place itself: a symbolic link is not followed.
  static func entry(of path: String) throws(LinkspanError) -> OpenFolder.Kind {
    switch String(decoding: try answered(.entry, path), as: UTF8.self) {
    case "file": return .file
    case "folder": return .folder
    case "link": return .link
    case "missing": return .missing
    default: return .special
    }
  }

  /// Whether it is a disk or a part of one.
  static func isDisk(_ path: String) throws(LinkspanError) -> Bool {
    String(decoding: try answered(.entry, resolved(path) ?? path), as: UTF8.self) == "disk"
  }

  package static func names(in path: String) throws(LinkspanError) -> [String] {
    String(decoding: try answered(.names, path), as: UTF8.self).split(separator: "\0").map { String($0) }
      .sorted()
  }

  package static func resolved(_ path: String) -> String? { Host.ask(.resolved, path).text }

  /// The module's host knows links by their paths alone.
  package static func identity(_ path: String) -> String? { resolved(path) }

  private static func answered(_ question: Host.Question, _ path: String) throws(LinkspanError) -> [UInt8] {
    switch Host.ask(question, path) {
    case .bytes(let bytes): return bytes
    case .refused("Is a directory") where path == "-":
      throw LinkspanError("standard input is a directory; expected a file.")
    case .refused(let reason): throw unreadable(path, why: reason)
    case .nothing: throw unreadable(path, why: "No such file or directory")
    case .silentPipe: throw .silentPipe(path)
    case .device: throw .device(path)
    }
  }

  private static func unreadable(_ path: String, why reason: String) -> LinkspanError {
    .urlForFile(path) ?? .secretForFile(path) ?? LinkspanError("cannot be read", at: path, why: reason)
  }
}
