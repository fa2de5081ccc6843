internal import AssociatedDomains
internal import LinkspanCore

extension JSONNode {
  /// Whether a list of apps, entries or rules of this association file, or an element of one, has another type than its key
  /// expects. What is inside of rules has its own question (``WrongTypes``).
  var dropsValues: Bool {
    guard let links = self[Service.applinks.rawValue] else { return false }
    guard links.object != nil else { return true }
    if let apps = links["apps"], apps.array == nil { return true }
    if let defaults = links["defaults"], defaults.object == nil { return true }
    if let variables = links["substitutionVariables"] {
      guard let members = variables.object else { return true }
      if members.contains(where: { !$0.value.isList { $0.string != nil } }) { return true }
    }
    switch links["details"]?.value {
    case nil: return false
    case .array(let entries)?: return entries.contains { !$0.isUsableEntry }
    case .object(let entries)?: return entries.contains { !$0.value.isUsableEntry }
    default: return true
    }
  }

  private var isUsableEntry: Bool {
    guard object != nil else { return false }
    if let defaults = self["defaults"], defaults.object == nil { return false }
    if let identifier = self["appID"], identifier.string == nil { return false }
    for key in ["appIDs", "paths"] {
      if let list = self[key], !list.isList({ $0.string != nil }) { return false }
    }
    return self["components"]?.isList { $0.object != nil } ?? true
  }

  private func isList(_ isElement: (JSONNode) -> Bool) -> Bool {
    array?.allSatisfy(isElement) ?? false
  }
}
