import Foundation
import LinkspanCore
import LinkspanFiles
import TestSupport
import Testing

/// Writing into a directory that is held open, and beside what is there.
@Suite struct OpenFolderWritingTests {
  let folder: ScratchFolder
  let open: OpenFolder

  init() throws {
    folder = try ScratchFolder()
    open = try OpenFolder(folder.path(""))
  }

  private func mode(_ name: String) -> mode_t {
    var status = stat()
    return stat(folder.path(name), &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test func aNewFileIsNoOldOne() throws {
    try open.writeNew([1, 2], to: "a")
    #expect(try open.bytes(of: "a", limitBytes: 9) == [1, 2] && mode("a") == 0o644)
    #expect(throws: LinkspanError.self) { try open.writeNew([3], to: "a") }
    #expect(chmod(folder.path("a"), 0o640) == 0)
    try open.writeNew([3], to: "b", as: "a")
    #expect(mode("b") == 0o640)
    #expect(throws: LinkspanError.self) { try open.writeNew([3], to: "c", as: "none") }
    #expect(throws: LinkspanError.self) { try open.writeNew([3], to: "..") }
    try FileWriter.writeNew([5], to: folder.path("d"))
    #expect(try open.bytes(of: "d", limitBytes: 9) == [5])
    let error = #expect(throws: LinkspanError.self) { try FileWriter.writeNew([6], to: folder.path("d")) }
    #expect(error?.message.contains("already exists") == true)
  }

  @Test func aFileIsReplacedWithItsMode() throws {
    try open.replace("a", by: [1], mode: 0o600)
    #expect(mode("a") == 0o600)
    #expect(chmod(folder.path("a"), 0o751) == 0)
    try open.replace("a", by: [UInt8](repeating: 7, count: 100_000))
    #expect(mode("a") == 0o751)
    #expect(try open.bytes(of: "a", limitBytes: 100_000).count == 100_000)
    try open.replace("b", by: [])
    #expect(mode("b") == 0o644)
    #expect(try open.names() == ["a", "b"])
  }

  @Test func onlyARegularFileIsReplaced() throws {
    try folder.write("x", to: "inner/file")
    try folder.link("link", to: "inner/file")
    for (name, words) in [("link", "is a symbolic link"), ("inner", "is not a regular file")] {
      let error = #expect(throws: LinkspanError.self) { try open.replace(name, by: [1]) }
      #expect(error?.message.contains(words) == true)
    }
    #expect(throws: LinkspanError.self) { try open.replace("", by: [1]) }
    #expect(try folder.text("inner/file") == "x")
    #expect(try open.names() == ["inner", "link"])
  }

  @Test func namesGoAndAreChanged() throws {
    try folder.write("x", to: "a")
    try open.rename("a", to: "b")
    #expect(try open.names() == ["b"])
    #expect(throws: LinkspanError.self) { try open.rename("a", to: "c") }
    let inner = try open.madeFolder("d")
    try inner.writeNew([1], to: "e")
    #expect(try open.madeFolder("d").names() == ["e"])
    #expect(throws: LinkspanError.self) { try open.madeFolder("b") }
    try folder.link("f", to: "d")
    for name in ["f", "b", "none"] { try open.remove(name) }
    #expect(try open.names() == ["d"] && open.folder("d").names() == ["e"])
    _ = try inner.madeFolder("deeper")
    #expect(throws: LinkspanError.self) { try open.remove("d") }
    try inner.remove("deeper")
    try open.remove("d")
    #expect(try open.names().isEmpty)
    try open.refuseUnwritable()
    #expect(try open.names().isEmpty)
  }

  /// A trial that another run left behind is one that could be made; where nothing can be made, that is said.
  @Test func aFolderIsTriedBeforeItIsWrittenTo() throws {
    _ = try open.madeFolder("a")
    _ = try open.madeFolder(".linkspan-\(getpid())")
    try open.refuseUnwritable()
    #expect(try open.names() == ["a"])
    let gone = try open.folder("a")
    try open.remove("a")
    #expect(throws: LinkspanError.self) { try gone.refuseUnwritable() }
  }

  @Test func aCopyTakesTheFirstFreeName() throws {
    try folder.write("x", to: "a")
    for name in ["a.orig", "a.orig.2", "a.orig.3"] {
      #expect(try open.keepCopy(of: "a", [1]) == open.path(of: name))
    }
    try open.remove("a.orig.2")
    #expect(try open.keepCopy(of: "a", [2]).hasSuffix("/a.orig.2"))
  }

  /// A thousand copies are kept, and no more.
  @Test func copiesHaveALimit() throws {
    let memory = try ScratchFolder(inMemory: true)
    try memory.write("x", to: "a")
    try memory.write("", to: "a.orig")
    for number in 2...999 { try memory.write("", to: "a.orig.\(number)") }
    let open = try OpenFolder(memory.path(""))
    #expect(try open.keepCopy(of: "a", [1]).hasSuffix("/a.orig.1000"))
    let error = #expect(throws: LinkspanError.self) { try open.keepCopy(of: "a", [1]) }
    #expect(error?.message.contains("has 1000 copies") == true)
  }

  @Test func aCorrectionLeavesWhatChangedMeanwhile() throws {
    try folder.write("old", to: "a")
    let path = folder.path("a")
    #expect(throws: LinkspanError.self) {
      try FileCorrection.replace(path, [1], by: [2], keepsOriginal: true)
    }
    #expect(try open.names() == ["a"] && folder.text("a") == "old")
    let old = Array("old".utf8)
    #expect(try FileCorrection.replace(path, old, by: Array("new".utf8), keepsOriginal: false) == nil)
    #expect(
      try FileCorrection.replace(path, Array("new".utf8), by: old, keepsOriginal: true) == path + ".orig")
    #expect(try folder.text("a") == "old" && folder.text("a.orig") == "new")
    #expect(throws: LinkspanError.self) {
      try FileCorrection.replace(folder.path(""), [], by: [], keepsOriginal: false)
    }
  }

  @Test func aPlaceOfStateIsADirectory() throws {
    try folder.write("x", to: "file")
    #expect(try !FolderPlace(folder.path("state/deep")).isThere())
    try FolderPlace(folder.path("state/deep")).openMade { (state) throws(LinkspanError) in
      try state.writeNew([1], to: "a")
      try state.replace("a", by: [2])
    }
    #expect(try FolderPlace(folder.path("state/deep")).isThere())
    let bytes = try FolderPlace(folder.path("state/deep")).open { (state) throws(LinkspanError) in
      try state.bytes(of: "a", limitBytes: 1)
    }
    #expect(bytes == [2])
    #expect(throws: LinkspanError.self) { try FolderPlace(folder.path("file")).isThere() }
    #expect(try SiteWriter.madeFolder(folder.path("x/./y")).names().isEmpty)
    #expect(try FileReader.names(in: folder.path("x")) == ["y"])
  }
}
