internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanMCP

extension Command {
  static let mcp = Command(
    name: "mcp", summary: "Answer an assistant's questions by the Model Context Protocol", operands: "",
    discussion: """
      Speaks the Model Context Protocol over standard input and output, one JSON-RPC 2.0 message a line, so that an
      editor or an assistant can start it and call its tools: \(Tool.all.map(\.name).joined(separator: ", ")). Each
      answers with the JSON of the command of the same name (Documentation/mcp.md).

      The tools only read, and only below the folders of --root; a path with '..' in it or over a symbolic link is
      refused. They ask no host. Each call runs in a process of its own, which the kernel confines to those folders where
      it has Landlock, and which ends after --timeout. A message has at most \(MCPServer.lineLimitBytes >> 20) MB, an
      answer at most \(MCPServer.outputLimitBytes >> 20) MB.

      --call runs one tool with the arguments object that standard input holds, and prints what the command prints.
      """,
    flags: [
      Flag("--root", "DIR", repeats: true, "A folder that the tools may read (the working directory)"),
      Flag("--timeout", "SECONDS", "How long one call may take, at most 3600 (\(MCPServer.usualTimeout_s))"),
      Flag("--call", "TOOL", choices: Tool.all.map(\.name), "Run one tool, and end"),
    ],
    examples: [
      "linkspan mcp --root .",
      "linkspan mcp --call push_lint < arguments.json",
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    let roots = arguments.has("--root") ? arguments.all("--root") : ["."]
    let places = try ReadingPlaces(roots)
    let timeout = try arguments.number("--timeout", in: 1...3_600) ?? MCPServer.usualTimeout_s
    if let name = arguments.value("--call") {
      guard let tool = Tool.all.first(where: { $0.name == name }) else {
        preconditionFailure("'--call' takes the names of tools, and '\(name)' names no tool")
      }
      return try ToolRun(tool, places, timeout_s: timeout, console).run()
    }
    var server = MCPServer(roots: roots, timeout_s: timeout, console: console)
    try server.run()
    return .yes
  }
}

/// One tool's call, in the process that makes it.
struct ToolRun {
  private let tool: Tool
  private let places: ReadingPlaces
  private let console: Console
  private let timeout_s: Int

  init(_ tool: Tool, _ places: ReadingPlaces, timeout_s: Int, _ console: Console) {
    self.tool = tool
    self.places = places
    self.timeout_s = timeout_s
    self.console = console
  }

  func run() throws(LinkspanError) -> ExitStatus {
    let source = try FileReader.read("-")
    let document = JSONParser.parse(source.bytes)
    guard document.errors.isEmpty, let arguments = document.root, arguments.object != nil else {
      throw LinkspanError("standard input does not hold a JSON object with the tool's arguments.")
    }
    if let problem = DuplicateKeys.problem(in: arguments) { throw LinkspanError(problem) }
    let call: Tool.Call
    do throws(ToolProblem) {
      call = try tool.call(arguments)
    } catch {
      throw LinkspanError(error.message)
    }
    console.keepOnly(call.types)
    ChildProcess.restrictOneself(seconds: timeout_s)
    try places.enforce()
    var status = ExitStatus.yes
    for run in call.runs {
      var words: [String] = ["--json"]
      for word in run { words.append(try self.word(word)) }
      let one = try runCommand(words)
      if one.rawValue > status.rawValue { status = one }
    }
    return status
  }

  private func word(_ word: ToolWord) throws(LinkspanError) -> String {
    switch word {
    case .text(let text): return text
    case .path(let text):
      if let path = try places.path(text) { return path }
      throw LinkspanError("there is no file '\(text)'.", help: "Name a path below a folder of '--root'.")
    case .pathOrIdentifier(let text):
      return try places.path(text) ?? text
    }
  }

  private func runCommand(_ words: [String]) throws(LinkspanError) -> ExitStatus {
    var path = tool.command[...]
    guard let name = path.popFirst(), let top = LinkspanCLI.commands.first(where: { $0.name == name }) else {
      throw LinkspanError("there is no command for '\(tool.name)'.")
    }
    let command = try top.resolved(&path)
    do throws(LinkspanError) {
      return try command.run(try Arguments(words[...], for: command), console)
    } catch {
      throw LinkspanError(
        tool.inArguments(error.message),
        help: error.help == command.usage ? tool.usage : error.help.map(tool.inArguments))
    }
  }
}
