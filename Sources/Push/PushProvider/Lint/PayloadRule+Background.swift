internal import LinkspanCore

/// Rules about pushes that wake an app without showing anything.
extension PayloadRule {
  static let background: [PayloadRule] = [shownInBackground, notAvailable]

  private static let shownInBackground = PayloadRule(
    "background-shown", "A background push shows and plays nothing.", .error, source: .background,
    bad: [#"{"aps":{"content-available":1,⟦"sound"⟧:""}}"#], good: [exampleSilent],
    headers: headers(.background), effect: .seenToWake
  ) { source, report in
    guard source.type == .background else { return }
    for member in source.aps?.object ?? [] where PayloadSource.shownKeys.contains(member.name) {
      report.add(
        member.nameRange, source.apsPointer.appending(member.name), "a background push has '\(member.name)'",
        help:
          "APNs may drop the push. Remove the key, or send it as push type alert, where 'content-available' may stay."
      )
    }
  }

  private static let notAvailable = PayloadRule(
    "background-content-available", "A background push has 'content-available' 1.", .error,
    source: .background,
    bad: [
      #"{"aps":⟦{}⟧}"#, #"{"aps":{"content-available":⟦0⟧}}"#, #"{"aps":{"content-available":⟦2⟧}}"#,
      #"{"aps":{"content-available":⟦null⟧}}"#,
    ],
    good: [exampleSilent], headers: headers(.background), effect: .valueOnly
  ) { source, report in
    guard source.type == .background, let aps = source.aps else { return }
    let key = "content-available"
    if let value = aps[key] {
      // What is nearly the number is another rule's (push 5.2).
      if value.wholeNumber == 1 || value.string == "1" || value.bool == true { return }
      report.add(
        value.range, source.apsPointer.appending(key),
        "'\(key)' is \(value.wholeNumber.map(String.init) ?? "not 1"), so the app is not woken",
        help: "Write \"\(key)\": 1.")
      return
    }
    // A misspelt or misplaced key is reported where it stands.
    guard aps.object?.contains(where: { ApsKey.twin(of: $0.name)?.name == key }) != true,
      source.payload?[key] == nil
    else { return }
    report.add(
      aps.range, source.apsPointer, "a background push has no '\(key)'",
      help: "The app is not woken. Write \"\(key)\": 1 into 'aps'.")
  }
}
