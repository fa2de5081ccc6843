internal import AppLifecycle
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

/// `linkspan simulate --matrix`: every combination at once, as the machines of the simulator decide it.
struct MatrixRun {
  enum Name: String, CaseIterable {
    case arrival
    case switcher
    case push
    case links
  }

  private let arguments: Arguments
  private let console: Console
  private let name: Name

  init(_ arguments: Arguments, _ console: Console) throws(LinkspanError) {
    try arguments.expectOperands(0...0)
    let others = [
      "--seed", "--live", "--ca", "--har", "--format", "--events", "--swarm", "--shrunk", "--plant",
    ]
    for flag in others where arguments.has(flag) {
      throw arguments.usage("'\(flag)' does not go with '--matrix'")
    }
    guard let name = arguments.choice("--matrix", Name.self) else {
      preconditionFailure("a table is asked for by '--matrix'")
    }
    self.arguments = arguments
    self.console = console
    self.name = name
  }

  func run() throws(LinkspanError) -> ExitStatus {
    let page: MatrixPage
    switch name {
    case .arrival: page = .arrival
    case .switcher: page = .switcher
    case .push, .links:
      for flag in ["--svg", "--html"] where arguments.has(flag) {
        throw arguments.usage("'\(flag)' does not go with '--matrix \(name.rawValue)'")
      }
      if name == .push {
        PushMatrix.print(arguments, console)
      } else {
        NavigationMatrix.print(arguments, console)
      }
      return .yes
    }
    let outputs = try arguments.outputs([
      ("--svg", .vector(of: "linkspan simulate")), ("--html", SimulateFormat.page),
    ])
    try outputs["--svg"]?.write(Array(page.svg.utf8), console)
    try outputs["--html"]?.write(Array(page.html.utf8), console)
    if arguments.has("--json") {
      console.print(json(page.matrices))
    } else {
      console.printUnbroken(page.matrices.map { $0.text(style: console.style) }.joined(separator: "\n"))
    }
    return .yes
  }

  /// One document: the first table, and the cells of the others under their names.
  private func json(_ matrices: [Matrix]) -> JSON {
    let others = matrices.dropFirst().map { matrix in
      (matrix.name, matrix.members.first { $0.0 == "cells" }?.1 ?? .null)
    }
    return .object(matrices[0].members + others)
  }
}
