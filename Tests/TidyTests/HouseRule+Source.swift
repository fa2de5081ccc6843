/// Files that are one long table, and why they may be longer than the others.
private let longTables: [String: String] = [:]

/// Where an unstructured task may begin, and why.
private let taskHomes: [String: String] = [
  "Sources/Program/LinkspanCLI/": "the edge: the process itself",
  "Sources/Program/LinkspanSiteCommands/": "the edge: a command",
  "Sources/Program/LinkspanAppCommands/": "the edge: a command",
  "Sources/Simulation/LinkspanStandIns/": "the edge: the simulator answers beside the loop of a server",
  "Sources/HTTP/HTTPTransport/": "the event loop",
  "Sources/HTTP/HTTPEngine/": "the event loop",
  "Sources/HTTP/HTTPClientEngine/": "the event loop",
  "Sources/Library/LinkspanDecisions/Deadline/":
    "the app: work that ignores cancellation must be left behind at the deadline",
]

/// The targets of the command line.
private let commandLine: Set<String> = [
  "LinkspanCLI", "LinkspanSiteCommands", "LinkspanAppCommands", "ServiceCommands", "SwarmCommands",
  "LinkspanCommand",
]

/// Targets at the edge, which may look at the real clock and the system's chance.
private let edge = commandLine.union([
  "LinkspanDaemon", "PushSending", "PushConnections", "LinkspanFiles", "LinkspanStandIns", "HTTPTransport",
  "HTTPEngine",
  "HTTPClientEngine",
  "LoadGenerator",
])

private let longestFile = 400

/// Rules about Swift code.
let sourceRules: [HouseRule] = [
  HouseRule(
    id: "no-long-file",
    bad: ["Sources/Base/LinkspanCore/A.swift": String(repeating: "//\n", count: longestFile + 1)],
    good: ["Sources/Base/LinkspanCore/A.swift": String(repeating: "//\n", count: longestFile)]
  ) { repository in
    repository.sources.filter { longTables[$0.path] == nil && $0.lines.count > longestFile }.map {
      let message =
        "more than \(longestFile) lines: one idea a file; a table goes on the list in HouseRule+Source.swift"
      return Violation(path: $0.path, line: longestFile + 1, message: message)
    }
  },

  .lines(
    "no-trap-on-bad-input",
    bad: ["Sources/Base/LinkspanCore/A.swift": "let a = try" + "! b()\n"],
    good: ["Sources/Base/LinkspanCore/A.swift": "// a try" + "! in a comment\nlet a = try b()\n"],
    in: \.sources
  ) { line, _ in
    if line.code.hasWord("try" + "!") { return "throw the error, or make it impossible" }
    if line.code.hasWord("fatal" + "Error(") { return "use precondition with a message, or throw" }
    return nil
  },

  .lines(
    "no-foundation-in-sources",
    bad: ["Sources/Library/LinkspanDecisions/A.swift": "internal import FoundationEssentials\n"],
    good: [
      "Sources/Base/LinkspanCore/A.swift": "import Dispatch\n",
      "Tests/XTests/A.swift": "import Foundation\n",
      "Sources/Library/Linkspan/A.swift": "public import Foundation\n",
    ],
    in: { $0.sources.filter { $0.target != "Linkspan" } }
  ) { line, _ in
    importedModule(line).flatMap { module in
      isFoundation(module)
        ? "'\(module)' costs start-up time and isn't needed here: see decision 0001" : nil
    }
  },

  .lines(
    "locks-the-thread-sanitizer-sees",
    bad: ["Sources/Base/LinkspanCore/A.swift": "  let state = Mu" + "tex(0)\n"],
    good: [
      "Sources/Base/LinkspanCore/A.swift": "  let state = LockedState(0)\n  // instead of Mu" + "tex(0)\n"
    ],
    in: \.sources
  ) { line, _ in
    line.code.hasWord("Mu" + "tex(") || line.code.hasWord("Mu" + "tex<")
      ? "use LockedState: the thread sanitizer takes each use of the standard library's lock for a race" : nil
  },

  .lines(
    "no-wait-by-the-clock-that-people-set",
    bad: ["Sources/Base/LinkspanCore/A.swift": "  _ = group.wait(time" + "out: .now() + .seconds(1))\n"],
    good: [
      "Sources/Base/LinkspanCore/A.swift": "  _ = state.wait(atMost: .seconds(1)) { $0 }\n  group.wait()\n"
    ],
    in: \.sources
  ) { line, _ in
    line.code.has(".wait(time" + "out:") || line.code.has(".wait(wallTime" + "out:")
      ? "use LockedState.wait(atMost:): on Linux a semaphore's limit follows the clock that people set" : nil
  },

  .lines(
    "no-print-below-the-command-line",
    bad: ["Sources/Base/LinkspanCore/A.swift": "  print(\"a\")\n"],
    good: [
      "Sources/Base/LinkspanCore/A.swift": "  report.print(\"a\")\n  pretty_print(1)\n",
      "Sources/Program/LinkspanCLI/A.swift": "  print(\"a\")\n",
    ],
    in: { $0.sources.filter { !commandLine.contains($0.target ?? "") } }
  ) { line, _ in
    line.code.hasWord("print(") || line.code.hasWord("debugPrint(")
      ? "return the text; only the command line prints" : nil
  },

  .lines(
    "time-and-chance-are-parameters",
    bad: ["Sources/Links/AppSiteAssociation/A.swift": "let now = Date()\n"],
    good: [
      "Sources/Links/AppSiteAssociation/A.swift": "let n = Int.random(in: 0..<3, using: &generator)\n",
      "Sources/Program/LinkspanCLI/A.swift": "let now = Date()\n",
      "Sources/Library/Linkspan/Adapters/A.swift": "let clock = ContinuousClock()\n",
    ],
    in: {
      $0.sources.filter {
        !edge.contains($0.target ?? "") && !$0.path.hasPrefix("Sources/Library/Linkspan/Adapters/")
          // Threads wait for each other in real time only; nothing that is replayed blocks one.
          && $0.path != "Sources/Base/LinkspanCore/Lock/LockedState.swift"
      }
    }
  ) { line, _ in
    let ambient = [
      "Date()", "SystemRandomNumberGenerator", "ContinuousClock()", "SuspendingClock()", "clock_gettime(",
      "gettimeofday(", ".shuffled()", ".randomElement()", "Bool.random()",
    ]
    for word in ambient where line.code.has(word) {
      return "'\(word)' cannot be replayed: take a clock, a time or a generator as a parameter"
    }
    return line.code.has(".random(in:") && !line.code.has("using:")
      ? "pass the generator: '.random(in:using:)'" : nil
  },

  .lines(
    "no-unstructured-task",
    bad: ["Sources/Base/LinkspanCore/A.swift": "Task { await run() }\n"],
    good: [
      "Sources/Base/LinkspanCore/A.swift": "extension Task {}\nawait withTaskGroup { _ in }\n",
      "Sources/Program/LinkspanCLI/A.swift": "Task { await run() }\n",
    ],
    in: { repository in
      repository.sources.filter { file in !taskHomes.keys.contains { file.path.hasPrefix($0) } }
    }
  ) { line, _ in
    if line.code.has("extension Task") { return nil }
    return line.code.hasWord("Task {") || line.code.hasWord("Task.detached")
      ? "it leaves the simulator's scheduler: use a task group or async let, or run() at the edge" : nil
  },

  HouseRule(
    id: "a-folder-is-a-subject",
    bad: ["Sources/Base/LinkspanCore/Helpers/A.swift": "\n"],
    good: ["Sources/Base/LinkspanCore/Match/A.swift": "\n"]
  ) { repository in
    let kinds: Set<String> = [
      "models", "model", "helpers", "helper", "utils", "util", "utilities", "managers", "manager", "misc",
    ]
    return (repository.texts.filter { $0.path.hasPrefix("Sources/") || $0.path.hasPrefix("Tests/") })
      .filter { file in
        file.path.split(separator: "/").contains {
          kinds.contains($0.lowercased())
            || kinds.contains($0.lowercased().split(separator: ".")[0].description)
        }
      }
      .map {
        Violation(path: $0.path, line: 1, message: "name the folder or file after its subject, not its kind")
      }
  },

  HouseRule(
    id: "unchecked-sendable-says-why",
    bad: ["Sources/Base/LinkspanCore/A.swift": "\nfinal class A: @unchecked " + "Sendable {}\n"],
    good: [
      "Sources/Base/LinkspanCore/A.swift":
        "// Safe: one thread steps it.\n@usableFromInline\nfinal class A: @unchecked " + "Sendable {}\n"
    ]
  ) { repository in
    repository.sources.flatMap { file in
      let lines = file.lines
      return lines.filter { $0.code.has("@unchecked " + "Sendable") }.filter { line in
        let above = lines[..<(line.number - 1)].last {
          !$0.text.drop { $0 == " " }.hasPrefix("@")
        }
        return above?.text.drop { $0 == " " }.hasPrefix("//") != true
      }
      .map {
        Violation(path: file.path, line: $0.number, message: "say on the line above why it is safe")
      }
    }
  },
]

/// Whether the module is Foundation or a part of it, such as FoundationEssentials.
func isFoundation(_ module: Substring) -> Bool { module.hasPrefix("Foundation") }

/// The module that a line imports, or nil.
func importedModule(_ line: Line) -> Substring? {
  guard line.code.has("import ") else { return nil }
  let words = line.code.split(separator: " ")
  guard let place = words.firstIndex(of: "import"), place + 1 < words.count else { return nil }
  let before = ["public", "package", "internal", "fileprivate", "private"]
  guard words[..<place].allSatisfy({ $0.hasPrefix("@") || before.contains(String($0)) }) else { return nil }
  let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
  let name = kinds.contains(String(words[place + 1])) && place + 2 < words.count ? place + 2 : place + 1
  return words[name].prefix { $0 != "." && $0 != ";" }
}
