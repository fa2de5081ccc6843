import Foundation
import TestSupport
import Testing

/// `linkspan console` and `serve --console`, as a person runs them.
@Suite struct ConsoleTests {
  private static let password = "a password of some length"

  @Test func addsListsAndRemovesUsers() throws {
    let tool = try Tool()
    let add = try tool.run("console", "user", "add", "ada", "--state", "state", input: Self.password + "\n")
    #expect(add.status == 0, "\(add.errors)")
    #expect(add.output == "ada may log in now\n")
    let file = tool.folder.appending(path: "state/console-users.json")
    #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
    let first = try String(contentsOf: file, encoding: .utf8)
    #expect(!first.contains(Self.password))
    let again = try tool.run(
      "console", "user", "add", "ada", "--state", "state", "--json", input: Self.password + " two\n")
    #expect(try again.json()["new"] as? Bool == false)
    #expect(try String(contentsOf: file, encoding: .utf8) != first)
    let list = try tool.run("console", "user", "list", "--state", "state", "--json")
    #expect(list.lines.count == 1)
    #expect(try list.json()["name"] as? String == "ada")
    #expect(try tool.run("console", "user", "remove", "ada", "--state", "state").status == 0)
    #expect(try tool.run("console", "user", "remove", "ada", "--state", "state").status == 1)
    #expect(try tool.run("console", "user", "list", "--state", "state").output.isEmpty)
  }

  @Test(arguments: [
    ("ada", "short", "the password has 5 characters; expected at least 12"),
    ("ada", "", "the password has 0 characters; expected at least 12"),
    ("ada", "\u{FEFF}a password of some length", "the password is not plain text in UTF-8"),
    ("ada", "a password\u{0} of some length", "the password is not plain text in UTF-8"),
    ("a b", "a password of some length", "a name has 1 to 64 letters, digits"),
    ("../ada", "a password of some length", "a name has 1 to 64 letters, digits"),
  ])
  func refusesABadNameOrPassword(name: String, password: String, message: String) throws {
    let tool = try Tool()
    let outcome = try tool.run("console", "user", "add", name, "--state", "state", input: password + "\n")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(message))
    #expect(password.isEmpty || !outcome.errors.contains(password))
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "state").path))
  }

  @Test func refusesAFileThatHoldsNoUsers() throws {
    let tool = try Tool()
    try tool.write("{}", to: "state/console-users.json")
    let path = tool.folder.appending(path: "state/console-users.json").path
    for (mode, word) in [(mode_t(0o604), "read"), (0o602, "change")] {
      chmod(path, mode)
      let open = try tool.run("console", "user", "list", "--state", "state")
      #expect(open.status == 2)
      #expect(
        open.errors.contains("every user of this machine can \(word) 'state/console-users.json'"),
        "\(open.errors)")
    }
    try tool.restrict("state/console-users.json")
    let outcome = try tool.run("console", "user", "list", "--state", "state")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'state/console-users.json' is not a file of the console's users."))
  }

  @Test(arguments: [
    (["--console", "127.0.0.1:0"], "'--console' needs '--state'"),
    (
      ["--console", "0.0.0.0:0", "--state", "state"],
      "'--console' on 0.0.0.0:0 needs '--certificate': passwords cross the network"
    ),
    (
      ["--console", "127.0.0.1:0", "--state", "state", "--console-cdn", "nothing"],
      "'--console-cdn': expected a URL such as http://127.0.0.1:8080"
    ),
  ])
  func refusesAConsoleThatWouldNotBeSafe(flags: [String], message: String) throws {
    let tool = try Tool()
    try tool.write("{}", to: "apple-app-site-association")
    let outcome = try tool.run(["serve", "apple-app-site-association", "--dry-run"] + flags)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test func theKeyboardReachesEveryPage() throws {
    try BrowserTour.run("console-tour", result: "console-tour: 0 problems")
  }

  @Test func anEveningByKeyboardAndTheQuestionsOfOperators() throws {
    try BrowserTour.run("console-evening", result: "console-evening: 21 questions, 0 problems")
  }
}
