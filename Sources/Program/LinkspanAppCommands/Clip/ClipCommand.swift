package import LinkspanCommand
internal import LinkspanCore

extension Command {
  package static let clip = Command(
    name: "clip", summary: "App Clips: their size, what opens them, their cards, codes and tags",
    operands: "COMMAND",
    discussion: "Answers about App Clips, without a Mac.",
    flags: [],
    examples: [
      "linkspan clip size Clip.ipa",
      "linkspan clip url https://example.com/shop --experiences experiences.json5",
      "linkspan clip qr https://example.com/shop",
    ],
    subcommands: [.clipSize, .clipPack, .clipURL, .clipCard, .clipQR, .clipNDEF, .clipCode, .clipCodes]
  ) { arguments, _ throws(LinkspanError) in
    throw arguments.usage("COMMAND is missing")
  }
}
