package import LinkspanCommand
internal import LinkspanCore

extension Command {
  /// The commands of `push` that need neither network nor keys.
  package static let push = Command(
    name: "push", summary: "Push notifications: check a payload", operands: "COMMAND",
    discussion: "Checks payloads. The program sends them as well.", flags: [],
    examples: ["linkspan push lint payload.json --push-type background"], subcommands: [.pushLint]
  ) { arguments, _ throws(LinkspanError) in
    throw arguments.usage("COMMAND is missing")
  }

  /// The commands of `clip` that need no picture and no archive.
  package static let clip = Command(
    name: "clip", summary: "App Clips: what opens them", operands: "COMMAND",
    discussion: "Answers about App Clips. The program measures them, and makes their codes and tags.",
    flags: [],
    examples: ["linkspan clip url https://example.com/shop --experiences experiences.json5"],
    subcommands: [.clipURL]
  ) { arguments, _ throws(LinkspanError) in
    throw arguments.usage("COMMAND is missing")
  }
}
