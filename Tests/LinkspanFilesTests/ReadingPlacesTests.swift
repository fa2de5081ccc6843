import LinkspanCore
import LinkspanFiles
import TestSupport
import Testing

/// The paths that a client may name below the folders of '--root'.
@Suite struct ReadingPlacesTests {
  let folder: ScratchFolder
  let places: ReadingPlaces

  init() throws {
    folder = try ScratchFolder()
    try folder.write("", to: "one/a/file")
    try folder.write("", to: "one/-flag")
    try folder.write("", to: "two/b")
    try folder.write("", to: "secret")
    try folder.link("one/link", to: "a")
    try folder.link("one/a/out", to: "../../secret")
    places = try ReadingPlaces([folder.path("one"), folder.path("two/")])
  }

  @Test(arguments: [
    ("a/file", "a/file"), ("./a//file", "./a//file"), ("-flag", "./-flag"), (".", "."), ("", "."), ("a", "a"),
    ("none", nil), ("a/file/deeper", nil),
  ])
  func aNameIsLookedUpInTheFirstFolder(text: String, path: String?) throws {
    #expect(try places.path(text) == path)
  }

  @Test func theOtherFoldersFollow() throws {
    let root = try #require(FileReader.resolved(folder.path("")))
    #expect(try places.path("b") == root + "/two/b")
    #expect(try places.path(root + "/two/b") == root + "/two/b")
    #expect(try places.path(root + "/one") == root + "/one")
    #expect(try places.path(root + "/two/none") == nil)
    for outside in [root, root + "/secret", root + "/on", root + "/onex/a", "/"] {
      let error = #expect(throws: LinkspanError.self) { try places.path(outside) }
      #expect(error?.message.contains("does not lie below a folder") == true, "\(outside)")
    }
  }

  @Test(
    arguments: [
      ("../secret", "has '..' in it"), ("a/../file", "has '..' in it"), ("..", "has '..' in it"),
      ("a\0", "has '..' in it"),
      ("link/file", "leads over a symbolic link"), ("link", "leads over a symbolic link"),
      ("a/out", "leads over a symbolic link"),
    ] as [(String, String)])
  func nothingLeadsOut(text: String, words: String) {
    let error = #expect(throws: LinkspanError.self) { try places.path(text) }
    #expect(error?.message.contains(words) == true)
  }

  @Test func onlyAFolderIsARoot() {
    for path in [folder.path("secret"), folder.path("none")] {
      #expect(throws: LinkspanError.self) { try ReadingPlaces([path]) }
    }
  }
}
