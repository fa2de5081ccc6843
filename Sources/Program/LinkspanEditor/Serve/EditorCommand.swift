internal import AppSiteAssociation
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanStories

extension Command {
  package static let lsp = Command(
    name: "lsp", summary: "Tell an editor what is wrong while you write, by the Language Server Protocol",
    operands: "",
    discussion: """
      Speaks the Language Server Protocol over standard input and output, for an editor that starts it
      (Documentation/editors.md has the settings of VS Code, Neovim, Helix and Zed). It shows the findings of 'check' in
      association files, assetlinks.json and entitlements, those of 'simulate' in stories, of 'forecast' in fleets, and
      those of linkspan.json5; offers the corrections of 'check --fix', the keys and values that a place takes, and what
      they mean; leads from a rule that is never reached to the one before it; and says above each rule which URLs it
      decides.

      The URLs are those of the setting 'sampleUrls', or the lines of a file named '\(EditorFiles.samplesName)' in the folder
      of the association file or one above it: whole, or a path such as /recipes/{id}. Without either, each rule has a URL for
      example.

      Findings are about the releases of the setting 'releases', such as "ios:13..26", or of '--os'; without either about
      those of 'check'.

      The npm package has this server too, without what it says of stories, fleets and linkspan.json5.

      It reads the open documents, what a story names, and that file; it asks no host and writes nothing.
      """,
    flags: [
      .releases("Findings are about these releases", standard: "iOS 15 to the newest"),
      Flag("--stdio", "Speak over standard input and output, as without the flag"),
      Flag("--clientProcessId", "ID", "The editor's process, which some editors name; nothing depends on it"),
    ],
    examples: ["linkspan lsp"],
    exitStatus: "0 after 'shutdown', 1 when the client left without it, 2 could not start"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    let releases = try arguments.releases()
    var server = try EditorServer(files: .onDisk, console: console, releases: releases)
    return try server.run() == 0 ? .yes : .no
  }
}

extension EditorFiles {
  /// What lies beside the documents.
  fileprivate static let onDisk = EditorFiles(
    story: { StoryReader.files(beside: $0) },
    samples: { path in
      var folder = onSystem(path)
      // Ours: no project is nested deeper.
      for _ in 0..<64 {
        guard let slash = folder.lastIndex(of: "/") else { return [] }
        folder = folder[..<slash]
        if let text = Self.text(of: "\(folder)/\(Self.samplesName)") { return lines(of: text) }
      }
      return []
    })

  /// The path of a URI has a slash before a drive of Windows.
  private static func onSystem(_ path: String) -> Substring {
    let start = Array(path.utf8.prefix(4))
    guard start.count == 4, start[0] == 0x2F, ASCII.isLetter(start[1]), start[2...] == [0x3A, 0x2F] else {
      return path[...]
    }
    return path.dropFirst()
  }

  /// nil where there is no such file, or none that can be read: an editor works without it.
  private static func text(of path: String) -> String? {
    do throws(LinkspanError) {
      guard try FileReader.kind(of: path) == .file else { return nil }
      return String(decoding: try FileReader.bytes(path), as: UTF8.self)
    } catch {
      return nil
    }
  }
}
