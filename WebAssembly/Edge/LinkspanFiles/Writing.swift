package import LinkspanCore
internal import WebHost

/// Puts a file into a folder, by the host's own means.
package enum SiteWriter {
  /// In the place of a regular file or of nothing.
  package static func place(_ bytes: [UInt8], as name: String, in folder: String) throws(LinkspanError) {
    guard try FileReader.kind(of: folder) == .folder else {
      throw LinkspanError("cannot be opened", at: folder, why: "Not a directory")
    }
    let path = OpenFolder(path: folder).path(of: name)
    let kind = try FileReader.entry(of: path)
    guard kind == .file || kind == .missing else {
      throw LinkspanError(
        "'\(path)' is \(kind == .link ? "a symbolic link" : "not a regular file")"
          + "; only a regular file is replaced.",
        help: "Change the link by hand, or replace it with the file itself.")
    }
    try FileWriter.ask(.write, bytes, path)
  }
}

enum FileWriter {
  /// Writes into what is there, such as a pipe.
  static func write(_ bytes: [UInt8], to path: String) throws(LinkspanError) { try ask(.fill, bytes, path) }

  static func ask(_ question: Host.Question, _ bytes: [UInt8], _ path: String) throws(LinkspanError) {
    switch Host.ask(question, Array(path.utf8) + [0] + bytes) {
    case .refused(let reason): throw LinkspanError("cannot be written", at: path, why: reason)
    case .silentPipe: throw .unreadPipe(path)
    case .bytes, .nothing, .device: break
    }
  }
}

/// Changes a file that a person named, in its place.
package enum FileCorrection {
  package static func replace(
    _ path: String, _ original: [UInt8], by bytes: [UInt8], keepsOriginal: Bool
  ) throws(LinkspanError) -> String? {
    let target = try OutputFile.target(of: path)
    guard try FileReader.entry(of: target) == .file else {
      throw LinkspanError("is not a regular file, so it is not changed", at: path)
    }
    if case .refused(let reason) = Host.ask(.access, target) {
      throw LinkspanError("cannot be written", at: path, why: reason)
    }
    guard try FileReader.bytes(target) == original else {
      throw LinkspanError(
        "was changed by another program in the meantime, so it is not changed", at: path,
        help: "Run the command again.")
    }
    var copy: String?
    if keepsOriginal {
      let (folder, name) = FileReader.place(of: target)
      switch Host.ask(.keepCopy, OpenFolder(path: folder).path(of: name)) {
      case .bytes(let name): copy = String(decoding: name, as: UTF8.self)
      case .refused(let reason): throw LinkspanError("cannot be written", at: path, why: reason)
      case .nothing, .silentPipe, .device: break
      }
    }
    try FileWriter.ask(.write, bytes, target)
    return copy
  }
}

extension OutputFile {
  func beginning() throws(LinkspanError) -> (head: [UInt8], count: Int) {
    let bytes = try FileReader.bytes(path)
    return (Array(bytes.prefix(OutputKind.headBytes)), bytes.count)
  }

  func refuseDisk() throws(LinkspanError) {
    guard try FileReader.isDisk(path) else { return }
    throw LinkspanError("is a disk or a part of one; expected a file", at: path)
  }

  static func place(of path: String) throws(LinkspanError) -> (folder: String, name: String) {
    let (folder, name) = FileReader.place(of: path)
    if try FileReader.kind(of: folder) == .missing {
      throw LinkspanError("cannot be written", at: path, why: "there is no directory '\(folder)'")
    }
    guard !name.isEmpty else { throw LinkspanError("is not the name of a file in '\(folder)'", at: name) }
    return FileReader.place(of: try target(of: path))
  }

  /// The path of the file itself. A symbolic link in its place stays one.
  fileprivate static func target(of path: String) throws(LinkspanError) -> String {
    guard try FileReader.entry(of: path) == .link else { return path }
    guard let target = FileReader.resolved(path) else {
      throw LinkspanError(
        "is a symbolic link of another user, or leads nowhere", at: path, help: "Name the file itself.")
    }
    return target
  }
}
