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
        let path = folder + name
        if let error = FileReader.misnamed(path) { throw error }
        if try FileReader.kind(of: path) != .folder { found.append(path) }
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
