internal import LinkspanCore
internal import PushProvider

/// The query of a list of messages or deliveries: known names, each once.
struct Query {
  /// Ours.
  private static let lengthLimit = 1_000
  private static let usualLength = 100

  let fields: [(name: String, value: String)]

  /// - Returns: nil for a query that is answered with its fault.
  init?(_ call: RegistryAPI.Call, names: [String], _ respond: RegistryAPI.Respond) {
    func refuse(_ what: String) { respond(Problem(400, what).response) }
    guard let form = FormFields(call.request.query) else {
      refuse("The query is not percent-encoded UTF-8, or has too many fields.")
      return nil
    }
    var seen: Set<String> = []
    for (name, _) in form.list {
      guard names.contains(name) else {
        refuse(
          names.isEmpty
            ? "This path takes no query; send the request without '?' and what follows it."
            : "'\(name)' is not a field of this query: \(names.joined(separator: ", ")).")
        return nil
      }
      guard seen.insert(name).inserted else {
        refuse("'\(name)' occurs twice.")
        return nil
      }
    }
    fields = form.list
  }

  private func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  static func number(_ text: String) -> Int64? {
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
    return Int64(text)
  }

  /// How many the page has.
  func length(_ respond: RegistryAPI.Respond) -> Int? {
    guard let text = value("limit") else { return Self.usualLength }
    if let number = Self.number(text), (1...Int64(Self.lengthLimit)).contains(number) { return Int(number) }
    respond(Problem(400, "'limit' in the query is not an integer from 1 to \(Self.lengthLimit).").response)
    return nil
  }

  /// Below which identifier the page begins; nil inside for the first page.
  func before(_ respond: RegistryAPI.Respond) -> Int64?? {
    guard let text = value("after") else { return .some(nil) }
    if let number = Self.number(text) { return number }
    respond(Problem(400, "'after' in the query is not the 'next' of a page.").response)
    return nil
  }

  /// A device token in its usual form.
  static func token(_ text: String) -> String? {
    do throws(DeviceTokenError) {
      return try DeviceToken(text).text
    } catch {
      return nil
    }
  }
}
