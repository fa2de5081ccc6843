internal import AppClips
internal import HeldURLs
internal import LinkspanCommand
internal import LinkspanCore

extension ExperienceInput {
  /// What a code or a tag for a URL carries: ASCII alone, as a browser would ask for it, since a device before iOS 17 makes no
  /// URL of anything else. What was changed is said.
  static func carried(_ text: String, _ arguments: Arguments, _ console: Console) throws(LinkspanError)
    -> HeldURL
  {
    let held = HeldURL(NDEFMessage.opensWithoutHost(text) ? text : try url(text, arguments))
    if let fault = held.fault {
      throw arguments.usage("'\(text.withoutUserInformation)' is not a URL: \(fault)")
    }
    if held.isChanged, !arguments.has("--json") {
      console.note("written as \(held.text.withoutUserInformation.onOneLine): \(held.summary)")
    }
    return held
  }
}
