package import LinkspanCore

/// What an app's `Info.plist` says about its identity and about what it opens.
package struct InfoPlist: Sendable {
  package let document: PropertyListDocument
  /// As written: in a project often `$(PRODUCT_BUNDLE_IDENTIFIER)`.
  package let bundleIdentifier: PlacedValue<String>?
  /// `CFBundleShortVersionString`, what people see.
  package let version: PlacedValue<String>?
  /// `CFBundleVersion`.
  package let build: PlacedValue<String>?
  /// `MinimumOSVersion`, or `LSMinimumSystemVersion` as macOS has it.
  package let minimumOS: PlacedValue<String>?
  /// `NSUserActivityTypes`: the activities the app can continue, and names of intents.
  package let userActivityTypes: [PlacedValue<String>]
  /// The schemes of all `CFBundleURLTypes`.
  package let urlSchemes: [PlacedValue<String>]
  /// Whether it is the app of a WatchKit extension, `WKWatchKitApp`, and no watchOS app of one target.
  package let isWatchKitApp: Bool
  /// Whether `NSAppClip` is there, as in every App Clip.
  package let isAppClip: Bool
  /// `UIBackgroundModes`; values that are no strings are left out, as the system does.
  package let backgroundModes: [String]
  /// Findings about values of a wrong type and about keys that occur twice.
  package let findings: [Finding]

  /// - Parameter name: What the person calls the file; findings carry it.
  /// - Throws: When the bytes are no property list, or one that is no dictionary.
  package init(
    _ bytes: [UInt8], name: String, limits: PropertyListLimits = PropertyListLimits()
  ) throws(PropertyListError) {
    try self.init(try PropertyListDocument(bytes, name: name, limits: limits))
  }

  /// - Throws: When the property list is no dictionary.
  package init(_ document: PropertyListDocument) throws(PropertyListError) {
    try document.requireDictionary(purpose: "An Info.plist")
    self.document = document
    var reader = PropertyListKeyReader(document, rule: "info-plist.wrong-type")
    bundleIdentifier = reader.string("CFBundleIdentifier")
    version = reader.string("CFBundleShortVersionString")
    build = reader.string("CFBundleVersion")
    let minimum = reader.string("MinimumOSVersion")
    minimumOS = minimum ?? reader.string("LSMinimumSystemVersion")
    userActivityTypes = (reader.strings("NSUserActivityTypes") ?? []).map {
      PlacedValue($0.text, at: $0.node.contentRange, pointer: $0.pointer)
    }
    urlSchemes = Self.schemes(&reader)
    isWatchKitApp = reader.bool("WKWatchKitApp")?.value ?? false
    isAppClip = document.root["NSAppClip"] != nil
    backgroundModes = document.root["UIBackgroundModes"]?.array?.compactMap { $0.string } ?? []
    findings =
      document.findings + reader.findings + Self.activityFindings(userActivityTypes, in: document)
      + (Self.sceneFinding(in: document).map { [$0] } ?? [])
  }

  private static func schemes(_ reader: inout PropertyListKeyReader) -> [PlacedValue<String>] {
    let key = "CFBundleURLTypes"
    let pointer = JSONPointer().appending(key)
    guard let types = reader.document.root[key] else { return [] }
    guard let elements = types.array else {
      reader.refuse(types, "'\(key)'", pointer, wanted: "an array of dictionaries")
      return []
    }
    var schemes: [PlacedValue<String>] = []
    for (index, element) in elements.enumerated() {
      let place = pointer.appending(index)
      guard element.dictionary != nil else {
        reader.refuse(element, "An element of '\(key)'", place, wanted: "a dictionary")
        continue
      }
      guard let list = element["CFBundleURLSchemes"] else { continue }
      let listPlace = place.appending("CFBundleURLSchemes")
      guard let names = list.array else {
        reader.refuse(list, "'CFBundleURLSchemes'", listPlace, wanted: "an array of strings")
        continue
      }
      for (index, name) in names.enumerated() {
        let namePlace = listPlace.appending(index)
        if let text = name.string {
          schemes.append(PlacedValue(text, at: name.contentRange, pointer: namePlace.description))
        } else {
          reader.refuse(name, "An element of 'CFBundleURLSchemes'", namePlace, wanted: "a string")
        }
      }
    }
    return schemes
  }
}
