internal import LinkspanCore

/// Completions for shells, made from the command records.
package enum Completion {
  /// What may stand in a place of the command line.
  private enum Kind {
    case files
    case words([String])
    /// A person writes something that no list has.
    case anything

    init(placeholder: String, choices: [String]) {
      let names = [
        "APP", "CONFIG", "CSV", "DIR", "EXPERIENCES", "FILE", "FLEET", "FOLDER", "FORECAST", "IMAGE",
        "LOG", "OLD", "OUT", "PATH", "PNG", "SIGNED", "SITE", "STORY", "SVG", "TARGET",
      ]
      self =
        !choices.isEmpty
        ? .words(choices) : names.contains { placeholder.contains($0) } ? .files : .anything
    }
  }

  private static func kind(of flag: Flag) -> Kind? {
    flag.value.map { Kind(placeholder: $0, choices: flag.choices.isEmpty ? flag.offers : flag.choices) }
  }

  private static func kind(ofOperandsOf command: Command) -> Kind {
    Kind(placeholder: command.operands, choices: command.operandChoices())
  }

  private static func spellings(_ flag: Flag) -> [String] { [flag.short, flag.name].compactMap { $0 } }

  private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

  // MARK: - bash

  /// - Parameter tasks: What 'help' takes besides commands, with a few words for each.
  package static func bash(_ commands: [Command], tasks: [(word: String, title: String)]) -> String {
    let names = commands.map(\.name)
    var text = """
      # bash completion for linkspan
      _linkspan_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); }
      _linkspan_files() {
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames 2>/dev/null
      }
      _linkspan() {
        local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
        COMPREPLY=()
        # '--flag=value' is three words here.
        if [[ $word == = ]]; then
          word=
        elif [[ $previous == = ]]; then
          previous=${COMP_WORDS[COMP_CWORD-2]}
        fi
        if [[ $COMP_CWORD -eq 1 ]]; then
          _linkspan_words "\(names.joined(separator: " ")) help --help --version"
          return
        fi
        case $command in
          help) [[ $COMP_CWORD -eq 2 ]] && _linkspan_words "\((names + tasks.map(\.word)).joined(separator: " "))" ;;

      """
    for command in commands {
      text += "    \(command.name))\n\(bash(command, place: 2, indent: "      "))      ;;\n"
    }
    return text + "  esac\n  return 0\n}\ncomplete -F _linkspan linkspan\n"
  }

  /// - Parameter place: Of the word behind the command.
  private static func bash(_ command: Command, place: Int, indent: String) -> String {
    guard !command.subcommands.isEmpty else { return bash(command, indent: indent) }
    let words = command.subcommands.map(\.word).joined(separator: " ")
    var text = """
      \(indent)if [[ $COMP_CWORD -eq \(place) ]]; then
      \(indent)  _linkspan_words "\(words) --help"
      \(indent)  return
      \(indent)fi
      \(indent)case ${COMP_WORDS[\(place)]} in

      """
    for one in command.subcommands {
      text +=
        "\(indent)  \(one.word))\n\(bash(one, place: place + 1, indent: indent + "    "))\(indent)    ;;\n"
    }
    return text + "\(indent)esac\n"
  }

  private static func bash(_ command: Command, indent: String) -> String {
    func action(_ kind: Kind) -> String {
      switch kind {
      case .files: "_linkspan_files"
      case .words(let words): "_linkspan_words \"\(words.joined(separator: " "))\""
      case .anything: ":"
      }
    }
    var text = indent + "case $previous in\n"
    for flag in command.allFlags {
      guard let kind = kind(of: flag) else { continue }
      text += "\(indent)  \(spellings(flag).joined(separator: "|"))) \(action(kind)) ;;\n"
    }
    let flags = command.allFlags.flatMap(spellings).joined(separator: " ")
    return text + """
      \(indent)  *)
      \(indent)    if [[ $word == -?* || $word == - ]]; then
      \(indent)      _linkspan_words "\(flags)"
      \(indent)    else
      \(indent)      \(action(kind(ofOperandsOf: command)))
      \(indent)    fi
      \(indent)    ;;
      \(indent)esac

      """
  }

  // MARK: - zsh

  /// - Parameter tasks: What 'help' takes besides commands, with a few words for each.
  package static func zsh(_ commands: [Command], tasks: [(word: String, title: String)]) -> String {
    let topics = tasks.map { "        \(quoted("\($0.word):\($0.title)"))\n" }.joined()
    var text = """
      #compdef linkspan
      _linkspan() {
        local -a commands
        commands=(
      \(list(commands, indent: "    "))    'help:Print the help of a command'
        )
        if (( CURRENT == 2 )); then
          _describe command commands
          return
        fi
        case $words[2] in
          help)
            commands+=(
      \(topics)      )
            (( CURRENT == 3 )) && _describe command commands
            ;;

      """
    for command in commands {
      text += "    \(command.name))\n\(zsh(command, place: 3, indent: "      "))      ;;\n"
    }
    return text + "  esac\n}\n_linkspan \"$@\"\n"
  }

  /// Commands with what they do, as `_describe` takes them.
  private static func list(_ commands: [Command], indent: String) -> String {
    commands.map { "\(indent)\(quoted("\($0.word):\($0.summary)"))\n" }.joined()
  }

  /// - Parameter place: Of the word behind the command.
  private static func zsh(_ command: Command, place: Int, indent: String) -> String {
    guard !command.subcommands.isEmpty else { return arguments(command, indent: indent) }
    var text = """
      \(indent)if (( CURRENT == \(place) )); then
      \(indent)  local -a inner
      \(indent)  inner=(
      \(list(command.subcommands, indent: indent + "    "))\(indent)  )
      \(indent)  _describe command inner
      \(indent)  return
      \(indent)fi
      \(indent)case $words[\(place)] in

      """
    for one in command.subcommands {
      text +=
        "\(indent)  \(one.word))\n\(zsh(one, place: place + 1, indent: indent + "    "))\(indent)    ;;\n"
    }
    return text + "\(indent)esac\n"
  }

  private static func arguments(_ command: Command, indent: String) -> String {
    func action(_ kind: Kind) -> String {
      switch kind {
      case .files: "_files"
      case .words(let words): "(\(words.joined(separator: " ")))"
      case .anything: " "
      }
    }
    func escaped(_ text: String) -> String {
      text.map { "[]:".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
    // The names of commands are no operands.
    let names = command.name.split(separator: " ").count
    var text = "\(indent)shift \(names) words; (( CURRENT -= \(names) ))\n\(indent)_arguments \\\n"
    for flag in command.allFlags {
      var rest = "[\(escaped(flag.help))]"
      if let value = flag.value, let kind = kind(of: flag) { rest += ":\(escaped(value)):\(action(kind))" }
      let names = spellings(flag)
      let once = flag.repeats ? "*" : names.count > 1 ? "(\(names.joined(separator: " ")))" : ""
      for name in names { text += "\(indent)  \(quoted(once + name + rest)) \\\n" }
    }
    let operands = command.operands.isEmpty ? "nothing" : command.operands
    return text
      + "\(indent)  \(quoted("*:\(escaped(operands)):\(action(kind(ofOperandsOf: command)))"))\n"
  }

  // MARK: - fish

  /// - Parameter tasks: What 'help' takes besides commands, with a few words for each.
  package static func fish(_ commands: [Command], tasks: [(word: String, title: String)]) -> String {
    var text = """
      # fish completion for linkspan
      function __linkspan_is
        set -l words (commandline -opc)
        set -e words[1]
        for place in (seq (count $argv))
          test "$words[$place]" = "$argv[$place]"; or return 1
        end
      end
      complete -c linkspan -n __fish_use_subcommand -f -a help -d 'Print the help of a command'
      complete -c linkspan -n '__linkspan_is help' -f -a '\((commands.map(\.name) + tasks.map(\.word)).joined(separator: " "))'

      """
    for command in commands {
      text +=
        "complete -c linkspan -n __fish_use_subcommand -f -a \(command.name) -d \(quoted(command.summary))\n"
      text += fish(command)
    }
    return text
  }

  /// What may follow a command.
  private static func fish(_ command: Command) -> String {
    var text = ""
    let words = command.subcommands.map(\.word).joined(separator: " ")
    for one in command.subcommands {
      let condition = "__linkspan_is \(command.name); and not __fish_seen_subcommand_from \(words)"
      text += "complete -c linkspan -n \(quoted(condition)) -f -a \(one.word) -d \(quoted(one.summary))\n"
      text += fish(one)
    }
    guard command.subcommands.isEmpty else { return text }
    let condition = quoted("__linkspan_is \(command.name)")
    switch kind(ofOperandsOf: command) {
    case .files: break
    case .anything: text += "complete -c linkspan -n \(condition) -f\n"
    case .words(let words):
      text += "complete -c linkspan -n \(condition) -f -a \(quoted(words.joined(separator: " ")))\n"
    }
    for flag in command.allFlags { text += fish(flag, condition) }
    return text
  }

  private static func fish(_ flag: Flag, _ condition: String) -> String {
    var text = "complete -c linkspan -n \(condition) -l \(flag.name.dropFirst(2))"
    if let short = flag.short { text += " -s \(short.dropFirst())" }
    switch kind(of: flag) {
    case .files: text += " -r -F"
    case .words(let words): text += " -x -a \(quoted(words.joined(separator: " ")))"
    case .anything: text += " -x"
    case nil: break
    }
    return text + " -d \(quoted(flag.help))\n"
  }
}
