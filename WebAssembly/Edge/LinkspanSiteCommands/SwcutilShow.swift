internal import LinkspanCommand
internal import LinkspanCore
internal import SiteInput

extension Command {
  /// A device of a story, which the module does not run.
  static let swcutilShow = Command(
    name: "swcutil show", summary: "The state of a simulated device: in the program only", operands: "",
    discussion: "Runs a story, which only the program can.", flags: [], examples: ["linkspan swcutil show"]
  ) { _, _ throws(LinkspanError) in
    throw .notInModule("'swcutil show'")
  }
}
