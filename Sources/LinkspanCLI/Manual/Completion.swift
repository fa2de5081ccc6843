/// Completions for shells, made from the command records.
enum Completion {
  static func bash(_ commands: [Command]) -> String {
    var text = """
      # bash completion for linkspan
      _linkspan() {
        local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
        local words=
        if [[ $COMP_CWORD -eq 1 ]]; then
          words="\(commands.map(\.name).joined(separator: " ")) --help --version"
          mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
          return
        fi
        case $command in

      """
    for command in commands {
      text += "    \(command.name))\n"
      if !command.subcommands.isEmpty {
        text += """
                if [[ $COMP_CWORD -eq 2 ]]; then
                  words="\(command.subcommands.map(\.word).joined(separator: " ")) --help"
                  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
                  return
                fi

          """
        text += "      case ${COMP_WORDS[2]} in\n"
        for one in command.subcommands {
          text += "        \(one.word)) words=\"\(flags(one))\" ;;\n"
        }
        text += "      esac\n"
      } else {
        text += "      words=\"\(flags(command))\"\n"
      }
      let words = fixedValues(command)
      if !words.isEmpty {
        text += "      case $previous in\n"
        for (flag, values) in words {
          text +=
            "        \(flag)) mapfile -t COMPREPLY < <(compgen -W \"\(values)\" -- \"$word\"); return ;;\n"
        }
        text += "      esac\n"
      }
      text += "      ;;\n"
    }
    return text + """
        esac
        if [[ $word == -* ]]; then
          mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        else
          mapfile -t COMPREPLY < <(compgen -f -- "$word")
          compopt -o filenames 2>/dev/null
        fi
      }
      complete -F _linkspan linkspan

      """
  }

  static func zsh(_ commands: [Command]) -> String {
    var text = """
      #compdef linkspan
      _linkspan() {
        local -a commands
        commands=(

      """
    for command in commands { text += "    \(quoted("\(command.name):\(command.summary)"))\n" }
    text += """
        )
        if (( CURRENT == 2 )); then
          _describe command commands
          return
        fi
        case $words[2] in

      """
    for command in commands {
      text += "    \(command.name))\n"
      guard !command.subcommands.isEmpty else {
        text += arguments(command, indent: "      ") + "      ;;\n"
        continue
      }
      text += "      if (( CURRENT == 3 )); then\n        local -a inner\n        inner=(\n"
      for one in command.subcommands { text += "          \(quoted("\(one.word):\(one.summary)"))\n" }
      text +=
        "        )\n        _describe command inner\n        return\n      fi\n      case $words[3] in\n"
      for one in command.subcommands {
        text += "        \(one.word))\n\(arguments(one, indent: "          "))          ;;\n"
      }
      text += "      esac\n      ;;\n"
    }
    return text + "  esac\n}\n_linkspan \"$@\"\n"
  }

  static func fish(_ commands: [Command]) -> String {
    var text = "# fish completion for linkspan\n"
    for command in commands {
      text +=
        "complete -c linkspan -n __fish_use_subcommand -f -a \(command.name) -d \(quoted(command.summary))\n"
      for one in command.subcommands {
        text +=
          "complete -c linkspan -n \(quoted("__fish_seen_subcommand_from \(command.name)")) -f "
          + "-a \(one.word) -d \(quoted(one.summary))\n"
      }
      let runnable = command.subcommands.isEmpty ? [command] : command.subcommands
      for one in runnable {
        var condition = "__fish_seen_subcommand_from \(command.name)"
        if !command.subcommands.isEmpty { condition += "; and __fish_seen_subcommand_from \(one.word)" }
        for flag in one.allFlags {
          text += "complete -c linkspan -n \(quoted(condition)) -l \(flag.name.dropFirst(2))"
          if let short = flag.short { text += " -s \(short.dropFirst())" }
          if flag.value != nil { text += takesFile(flag) ? " -r -F" : " -x" }
          if let values = values(flag) { text += " -a \(quoted(values))" }
          text += " -d \(quoted(flag.help))\n"
        }
      }
    }
    return text
  }

  private static func arguments(_ command: Command, indent: String) -> String {
    var text = indent + "_arguments \\\n"
    for flag in command.allFlags {
      let help = flag.help.map { "[]:".contains($0) ? "\\\($0)" : String($0) }.joined()
      var specification = "\(flag.repeats ? "*" : "")\(flag.name)[\(help)]"
      if let value = flag.value {
        let action = values(flag).map { "(\($0))" } ?? (takesFile(flag) ? "_files" : " ")
        specification += ":\(value.replacing(":", with: "\\:")):\(action)"
      }
      text += "\(indent)  \(quoted(specification)) \\\n"
    }
    return text + indent + "  '*:file:_files'\n"
  }

  private static func flags(_ command: Command) -> String {
    command.allFlags.flatMap { [$0.short, $0.name].compactMap { $0 } }.joined(separator: " ")
  }

  private static func fixedValues(_ command: Command) -> [(String, String)] {
    var seen: Set<String> = []
    return (command.allFlags + command.subcommands.flatMap(\.allFlags)).compactMap { flag in
      guard seen.insert(flag.name).inserted else { return nil }
      return values(flag).map { (flag.name, $0) }
    }
  }

  /// The words a flag takes, where its help lists them.
  private static func values(_ flag: Flag) -> String? {
    flag.choices.isEmpty ? nil : flag.choices.joined(separator: " ")
  }

  private static func takesFile(_ flag: Flag) -> Bool {
    ["FILE", "FOLDER", "OUT", "PATH", "SITE", "STORY", "APP"].contains { flag.value?.contains($0) ?? false }
  }

  private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
