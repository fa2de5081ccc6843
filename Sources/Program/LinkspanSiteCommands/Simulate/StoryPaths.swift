internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

/// Finds the stories a person means by STORY.
enum StoryPaths {
  private static let endings = [".json5", ".json"]

  /// - Returns: Files as they were named, and those in folders, by name; never empty.
  /// - Throws: For a folder without a story, which somebody surely expected to hold one.
  static func find(_ operands: [String]) throws(LinkspanError) -> [String] {
    var paths: [String] = []
    for operand in operands {
      guard operand != "-", try FileReader.kind(of: operand) == .folder else {
        paths.append(operand)
        continue
      }
      let folder = operand.hasSuffix("/") ? operand : operand + "/"
      var found: [String] = []
      for name in try FileReader.names(in: operand)
      where endings.contains(where: name.hasSuffix) {
        if try FileReader.kind(of: folder + name) != .folder {
          found.append(folder + name)
        }
      }
      if found.isEmpty {
        throw LinkspanError(
          "the folder '\(operand)' has no story.",
          help: "Stories in a folder end in .json5 or .json, and folders inside it are not looked into.")
      }
      paths += found
    }
    return paths
  }
}

/// A word as a shell reads it back.
enum ShellWord {
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "/._-+:@%,=".utf8.contains(byte)
    }
    if isPlain, !word.isEmpty { return word }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
