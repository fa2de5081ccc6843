import AppBundle
import LinkspanCore
import LinkspanFiles
import TestSupport
import Testing

/// The files below a folder.
@Suite struct FolderTreeTests {
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test func filesAreListedAndLinksNamed() throws {
    try folder.write("12", to: "App.app/b/c")
    try folder.write("", to: "App.app/a")
    try folder.link("App.app/link", to: "a")
    try folder.link("App.app/b/folder", to: "..")
    let tree = try FolderTree(folder.path("App.app") + "//")
    #expect(tree.name == folder.path("App.app"))
    #expect(tree.files.map { $0.path } == ["a", "b/c"] && tree.files.map { $0.sizeBytes } == [0, 2])
    #expect(tree.links.sorted() == ["b/folder", "link"])
    #expect(try tree.open(1).count == 2)
    #expect(throws: LinkspanError.self) { try FolderTree(folder.path("missing")) }
  }

  @Test(arguments: [(63, true), (64, false)])
  func foldersAreSixtyFourDeepAtMost(depth: Int, isRead: Bool) throws {
    let place = "a" + String(repeating: "/b", count: depth)
    try folder.write("", to: place + "/c")
    if isRead {
      #expect(try FolderTree(folder.path("a")).files.count == 1)
    } else {
      let error = #expect(throws: LinkspanError.self) { try FolderTree(folder.path("a")) }
      #expect(error?.message.contains("more than 64 folders deep") == true)
    }
  }

  /// Links are followed as often as the kernel follows them, and names as far as our limit goes.
  @Test func aWalkHasLimits() throws {
    try folder.write("x", to: "sites/a.example/end")
    for number in 0...41 {
      try folder.link("sites/a.example/\(number)", to: number == 0 ? "end" : "\(number - 1)")
    }
    let home = try ConfinedFolder(folder.path("sites/a.example"), .serving(linkRoots: []), .host)
    #expect(try home.file("39")?.sizeBytes == 1)
    #expect(throws: LinkspanError.self) { try home.file("40") }
    #expect(try home.file(String(repeating: "./", count: 300) + "end") != nil)
    try folder.write("x", to: "sites/a.example/b/end")
    let around = String(repeating: "b/../", count: 126)
    #expect(try home.file(around + "b/../end") != nil)
    #expect(throws: LinkspanError.self) { try home.file(around + "b/../b/end") }
  }

  @Test func aFolderSaysWhatLiesInIt() throws {
    try folder.write("x", to: "a/file")
    try folder.write("x", to: "a/inner/file")
    try folder.link("a/link", to: "inner")
    let open = try OpenFolder(folder.path("a"))
    for (name, kind) in [
      ("file", OpenFolder.Kind.file), ("inner", .folder), ("link", .link), ("none", .missing),
    ] {
      #expect(try open.kind(of: name) == kind, "\(name)")
    }
    for name in ["", ".", "..", "a/b", "a\0b"] {
      let error = #expect(throws: LinkspanError.self) { try open.component(name) }
      #expect(error?.message.contains("is not the name of a file") == true)
    }
    #expect(try open.component("...") == "...")
    #expect(try open.folder("inner").names() == ["file"])
    for name in ["file", "link", "none"] { #expect(throws: LinkspanError.self) { try open.folder(name) } }
    for name in ["inner", "link", "none"] {
      #expect(throws: LinkspanError.self) { try open.bytes(of: name, limitBytes: 10) }
    }
    #expect(open.path(of: "x") == folder.path("a") + "/x")
    #expect(try OpenFolder("/").path(of: "x") == "/x" && OpenFolder(".").path(of: "x") == "x")
    #expect(try open.absolutePath() == FileReader.resolved(folder.path("a")))
    #expect(try open.isSame(as: OpenFolder(folder.path("a/"))) && !open.isSame(as: open.folder("inner")))
    #expect(throws: LinkspanError.self) { try OpenFolder(folder.path("a/file")) }
    #expect(throws: LinkspanError.self) { try OpenFolder(folder.path("none")) }
  }
}
