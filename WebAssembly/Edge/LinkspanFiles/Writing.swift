package import LinkspanCore
internal import WebHost

/// Puts a file into a folder, by the host's own means.
package enum SiteWriter {
  package static func place(_ bytes: [UInt8], as name: String, in folder: String) throws(LinkspanError) {
    try FileWriter.write(bytes, to: folder == "." ? name : "\(folder)/\(name)")
  }
}

enum FileWriter {
  static func write(_ bytes: [UInt8], to path: String) throws(LinkspanError) {
    if case .refused(let reason) = Host.ask(.write, Array(path.utf8) + [0] + bytes) {
      throw LinkspanError("cannot be written", at: path, why: reason)
    }
  }
}

/// Changes a file that a person named, in its place.
package enum FileCorrection {
  package static func replace(
    _ path: String, _ original: [UInt8], by bytes: [UInt8], keepsOriginal: Bool
  ) throws(LinkspanError) -> String? {
    guard try FileReader.bytes(path) == original else {
      throw LinkspanError(
        "was changed by another program in the meantime, so it is not changed", at: path,
        help: "Run the command again.")
    }
    var copy: String?
    if keepsOriginal {
      switch Host.ask(.keepCopy, path) {
      case .bytes(let name): copy = String(decoding: name, as: UTF8.self)
      case .refused(let reason): throw LinkspanError("cannot be written", at: path, why: reason)
      case .nothing, .silentPipe, .device: break
      }
    }
    try FileWriter.write(bytes, to: FileReader.resolved(path) ?? path)
    return copy
  }
}

extension OutputFile {
  func beginning() throws(LinkspanError) -> (head: [UInt8], count: Int) {
    let bytes = try FileReader.bytes(path)
    return (Array(bytes.prefix(OutputKind.headBytes)), bytes.count)
  }

  func refuseDisk() throws(LinkspanError) {}

  static func place(of path: String) throws(LinkspanError) -> (folder: String, name: String) {
    let named = FileReader.place(of: path)
    if try FileReader.kind(of: named.folder) == .missing {
      throw LinkspanError("cannot be written", at: path, why: "there is no directory '\(named.folder)'")
    }
    return named
  }
}
