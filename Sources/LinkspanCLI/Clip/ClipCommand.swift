extension Command {
  static let clip = Command(
    name: "clip", summary: "App Clips: whether one is small enough, and what would make it smaller",
    operands: "COMMAND",
    discussion: "Answers about App Clips from what Xcode exported, without a Mac.",
    flags: [],
    examples: ["linkspan clip size Clip.ipa", "linkspan clip size app-thinning.plist --minimum-os 16"],
    subcommands: [.clipSize, .clipPack]
  ) { arguments, _ throws(CommandError) in
    throw arguments.usage("COMMAND is missing")
  }
}
