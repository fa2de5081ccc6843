internal import LinkspanCore

/// What a build does not understand of a value that another build stored.
///
/// A condition that is passed over lets a campaign go to devices that it leaves out, so what decides who gets a push, or when,
/// is compared with what this build would have stored for what it read.
enum StoredForm {
  /// - Parameters:
  ///   - text: What is stored.
  ///   - written: What this build stores for what it has read of it; it may have more members.
  ///   - base: What the pointers begin with.
  /// - Returns: JSON pointers to the members that were not read, in their order.
  static func unread(_ text: String, writtenAs written: JSON, at base: String = "") -> [String] {
    let document = JSONParser.parse(Array(text.utf8))
    guard document.isWellFormed, let root = document.root else { return [base] }
    return unread(root, JSONParser.parse(written.bytes).root, at: base)
  }

  private static func unread(_ stored: JSONNode, _ written: JSONNode?, at pointer: String) -> [String] {
    if let members = stored.object, written?.object != nil {
      return members.flatMap { member in
        unread(
          member.value, written?[member.name],
          at: pointer + JSONPointer().appending(member.name).description)
      }
    }
    if let elements = stored.array, let others = written?.array, elements.count == others.count {
      return zip(elements, others).enumerated().flatMap { index, pair in
        unread(pair.0, pair.1, at: "\(pointer)/\(index)")
      }
    }
    return stored.json.text == written?.json.text ? [] : [pointer]
  }
}
