import Foundation
import LinkspanCore
import LinkspanServer
import TestSupport
import Testing

@testable import LinkspanDaemon
@testable import LinkspanFiles

/// Files that a process adds to while it runs, in a folder that somebody else may write: the access log and the record of
/// a stand-in.
@Suite(.timeLimit(.minutes(10))) struct GrowingFileTests {
  static let (alice, bob): (uid_t, uid_t) = (54_321, 54_322)
  static let isRoot = geteuid() == 0
  static let needsRoot: Comment = "needs root, which can give files to another user"
  let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    try folder.write("mine\n", to: "roots/secret")
    try folder.write("", to: "logs/README")
  }

  /// Why neither the access log nor the record can be there.
  private func refusals(_ name: String = "logs/a.log") throws -> [String] {
    let path = folder.path(name)
    let log = try AccessLog(path, .json, ForwardedClient(trusted: [])) { _ in }
    let errors = [
      #expect(throws: LinkspanError.self) { try log.start() },
      #expect(throws: LinkspanError.self) {
        close(try OutputFile(path, .common, isForced: true).openedEmpty())
      },
      #expect(throws: LinkspanError.self) { try GrowingFile.refuseForeign(path) },
    ]
    return errors.map { $0?.message ?? "" }
  }

  private func give(_ name: String, to user: uid_t) { #expect(lchown(folder.path(name), user, user) == 0) }

  @Test func aFileGrowsOrIsEmptied() throws {
    for (text, expected) in [("one\n", "one\n"), ("two\n", "one\ntwo\n")] {
      let file = try GrowingFile.open(folder.path("logs/a.log"), mode: 0o640)
      #expect(text.withCString { write(file, $0, strlen($0)) } == text.utf8.count)
      #expect(fcntl(file, F_GETFL) & (O_APPEND | O_NONBLOCK) == O_APPEND)
      close(file)
      #expect(try folder.text("logs/a.log") == expected)
    }
    close(try OutputFile(folder.path("logs/a.log"), .common, isForced: true).openedEmpty())
    #expect(try folder.text("logs/a.log") == "")
  }

  @Test func aFIFOWithoutAReaderHoldsNothingUp() throws {
    #expect(mkfifo(folder.path("logs/a.log"), 0o666) == 0)
    let log = try AccessLog(folder.path("logs/a.log"), .json, ForwardedClient(trusted: [])) { _ in }
    let error = try #require(throws: LinkspanError.self) { try log.start() }
    #expect(
      error.message.hasSuffix("cannot be opened: it is a named pipe that no program reads."),
      "\(error.message)")
    #expect(throws: LinkspanError.self) {
      close(try OutputFile(folder.path("logs/a.log"), .common).openedEmpty())
    }
    // With one it is a log like another.
    let reader = open(folder.path("logs/a.log"), O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    close(try GrowingFile.open(folder.path("logs/a.log"), mode: 0o640))
  }

  @Test func aLinkOfTheOperatorsIsFollowed() throws {
    try folder.link("logs/a.log", to: "../roots/b.log")
    close(try GrowingFile.open(folder.path("logs/a.log"), mode: 0o640))
    #expect(try folder.text("roots/b.log") == "")
    for path in ["/dev/null", "/dev/stderr", "/proc/self/fd/2"] {
      close(try GrowingFile.open(path, mode: 0o640))
    }
    try folder.link("logs/a.log", to: "a.log")
    #expect(try refusals().allSatisfy { $0.contains("symbolic link") })
  }

  @Test(.enabled(if: isRoot, needsRoot)) func aStrangersLinkIsNot() throws {
    for target in ["../roots/secret", "../roots/new"] {
      try folder.link("logs/a.log", to: target)
      give("logs/a.log", to: Self.alice)
      give("logs", to: Self.alice)
      for message in try refusals() { #expect(message.contains("symbolic link of "), "\(message)") }
    }
    #expect(try folder.text("roots/secret") == "mine\n")
    #expect(access(folder.path("roots/new"), F_OK) != 0)
    try folder.link("logs/deep", to: "../roots")
    give("logs/deep", to: Self.alice)
    for message in try refusals("logs/deep/secret") {
      #expect(message.contains("of user 54321, to a directory of another user"), "\(message)")
    }
  }

  @Test(.enabled(if: isRoot, needsRoot)) func aFileThatSomebodyElseNamedHereIsNot() throws {
    give("logs", to: Self.alice)
    #expect(link(folder.path("roots/secret"), folder.path("logs/a.log")) == 0)
    for message in try refusals() {
      #expect(message.contains("it has 2 names (hard links)"), "\(message)")
    }
    #expect(try folder.text("roots/secret") == "mine\n")
    // In a directory like /tmp.
    try folder.write("", to: "tmp/a.log")
    #expect(chmod(folder.path("tmp"), 0o1777) == 0)
    give("tmp/a.log", to: Self.bob)
    for message in try refusals("tmp/a.log") {
      #expect(
        message.contains("it belongs to user 54322, in a directory that everybody may write"), "\(message)")
    }
  }

  @Test(.enabled(if: isRoot, needsRoot)) func aRecordBelongsToTheOwnerOfItsFolder() throws {
    give("logs", to: Self.alice)
    close(try OutputFile(folder.path("logs/record"), .common).openedEmpty())
    var status = stat()
    #expect(stat(folder.path("logs/record"), &status) == 0 && status.st_uid == Self.alice)
  }

  @Test func aDirectoryIsNot() throws {
    #expect(try refusals("logs").allSatisfy { $0.contains("directory") })
  }
}
