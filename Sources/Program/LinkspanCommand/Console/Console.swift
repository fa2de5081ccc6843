package import LinkspanCore

/// Where a command writes: the answer to standard output, everything else to standard error.
///
/// Output is collected and written in large pieces. When nobody reads any more the program ends quietly and
/// successfully, as in `linkspan match --batch - | head -1`, unless work is left undone by that (``leftover``); when an
/// answer cannot be written for another reason there is none, and the program ends as one that could not answer.
///
/// Text for people has no control characters but line ends, tabs and the program's own colours, and no line that a build
/// service obeys: those in files, names and arguments are escaped here.
package final class Console {
  package let style: TextStyle
  /// The columns that lines for people may have; nil where they are as long as they are.
  private let columns: Int?
  var pending: [UInt8] = []
  /// Standard output has what a flag sent there (``OutputPlace``): text for people goes beside it.
  var printsToStandardError = false
  /// The objects that are printed, by their `type`; nil for all.
  private var keptTypes: Set<String>?
  /// What is left undone when the output cannot be written, for commands that do more than print.
  /// It returns nil when nothing is.
  package var leftover: (() -> String?)?
  /// Ours: large enough that writing costs nothing beside making the text.
  private static let pieceBytes = 1 << 16

  /// - Parameter color: What `--color` says; nil is as `auto`.
  package init(color: String?) {
    columns = TerminalWidth.ofText(on: 1)
    style = Self.style(color, on: 1).fitting(columns)
  }

  private static func style(_ color: String?, on descriptor: Int32) -> TextStyle {
    switch color {
    case "always": .coloured
    case "never": .plain
    default: showsColour(on: descriptor) ? .coloured : .plain
    }
  }

  /// Text for people: its lines fit the terminal, or what `COLUMNS` says.
  package func print(_ text: TerminalText, terminator: String = "\n") {
    printLines(text.text, terminator: terminator)
  }

  /// The same for lines made elsewhere, whose maker has put every value on one line. A literal is a ``TerminalText``.
  @_disfavoredOverload
  package func print(_ lines: String, terminator: String = "\n") {
    printLines(lines, terminator: terminator)
  }

  private func printLines(_ text: String, terminator: String) {
    if printsToStandardError {
      return Self.tell(text, terminator: terminator, keepsColours: style.isColoured)
    }
    printRaw(Self.shown(text, keepsColours: style.isColoured, columns: columns), terminator: terminator)
  }

  /// Text that people and programs read, such as Markdown: its lines are never broken.
  package func printUnbroken(_ text: String, terminator: String = "") {
    if printsToStandardError {
      Self.write(Array((Self.shown(text, keepsColours: style.isColoured) + terminator).utf8), to: 2)
    } else {
      printRaw(Self.shown(text, keepsColours: style.isColoured), terminator: terminator)
    }
  }

  /// Our own workflow commands, whose texts ``CheckReport/gitHubAnnotations`` has escaped.
  package func printAnnotations(_ text: String) { printRaw(text.withoutControls(keepsColours: false)) }

  /// Text as every stream for people has it.
  static func shown(_ text: String, keepsColours: Bool, columns: Int? = nil) -> String {
    let text = text.withoutControls(keepsColours: keepsColours)
    // Last, because a broken line begins anew.
    return WorkflowCommands.broken(columns.map { WrappedText.fitted(text, width: $0) } ?? text)
  }

  /// Text that a program reads, such as a script or XML, as it is.
  package func printRaw(_ text: String, terminator: String = "") {
    pending += text.utf8
    pending += terminator.utf8
    if pending.count >= Self.pieceBytes { flush() }
  }

  /// A file's bytes, such as a picture's, as they are.
  package func print(bytes: [UInt8]) {
    pending += bytes
    if pending.count >= Self.pieceBytes { flush() }
  }

  /// Has objects of other types than these not be printed; nil for all.
  package func keepOnly(_ types: Set<String>?) { keptTypes = types }

  /// One JSON value on a line of its own.
  package func print(_ json: JSON) {
    if let keptTypes, case .object(let members) = json, case .string(let type)? = members.first?.1,
      !keptTypes.contains(type)
    {
      return
    }
    json.write(to: &pending)
    pending.append(0x0A)
    if pending.count >= Self.pieceBytes { flush() }
  }

  /// Progress, warnings and errors.
  package func note(_ text: TerminalText) { Self.tell(text.text) }

  /// The same for lines made elsewhere.
  @_disfavoredOverload
  package func note(_ lines: String) { Self.tell(lines) }

  /// Says why there is no answer.
  ///
  /// - Parameter color: What `--color` says; nil is as `auto`.
  package static func fail(_ error: LinkspanError, command: String?, color: String? = nil) {
    let name = command.map { "linkspan \($0)" } ?? "linkspan"
    let style = style(color, on: 2)
    let text = "\(error)".withoutControls(keepsColours: false)
    tell("\(name): \(style.paint("error", .red)): \(text)", keepsColours: style.isColoured)
  }

  /// The same from any thread.
  package static func tell(_ text: String) { tell(text, keepsColours: false) }

  /// A question, on whose line the person answers.
  static func ask(_ text: String) { tell(text, terminator: "", keepsColours: false) }

  private static func tell(_ text: String, terminator: String = "\n", keepsColours: Bool) {
    let text = shown(text, keepsColours: keepsColours, columns: TerminalWidth.ofText(on: 2))
    write(Array((text + terminator).utf8), to: 2)
  }
}
