internal import LinkspanCore

extension ThinningReport {
  /// Whether a property list has the shape of app-thinning.plist.
  package static func looksLike(_ document: PropertyListDocument) -> Bool {
    document.root["variants"]?.dictionary != nil
  }

  /// Reads app-thinning.plist, whose sizes are exact.
  ///
  /// - Parameter productName: What the title of the text says; nil for the name of the files.
  /// - Throws: ``BundleError`` at the key that is missing or of another type.
  package init(plist document: PropertyListDocument, productName: String? = nil) throws(BundleError) {
    let root = JSONPointer().appending("variants")
    guard let members = document.root["variants"]?.dictionary, !members.isEmpty else {
      let isEmpty = document.root["variants"]?.dictionary != nil
      throw BundleError(
        .brokenReport, at: document.location(of: document.root.range, pointer: ""),
        message: isEmpty ? "'variants' is empty." : "There is no dictionary 'variants' in it.",
        help: isEmpty
          ? "The export made no variant. Export again, with app thinning for all compatible device variants."
          : "app-thinning.plist has one. Check that it is the right file.")
    }
    var variants: [Variant] = []
    var places: [Finding.Location] = []
    for member in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      let reader = VariantReader(document: document, member: member, pointer: root.appending(member.key))
      variants.append(try reader.variant())
      places.append(reader.location)
    }
    let universal = variants.first { $0.isUniversal }?.name
    self.init(
      productName: productName ?? Self.productName(universal ?? variants[0].name), variants: variants,
      places: places, file: document.name)
  }

  /// The file's name without what tells variants apart: a UUID of 36 characters.
  private static func productName(_ name: String) -> String {
    let stem = name.hasSuffix(".ipa") ? name.dropLast(4) : name[...]
    guard stem.count > 37, ASCII.isUUID(stem.suffix(36)), stem.dropLast(36).last == "-" else {
      return String(stem)
    }
    return String(stem.dropLast(37))
  }

  private struct VariantReader {
    let document: PropertyListDocument
    let member: PropertyListMember
    let pointer: JSONPointer

    var location: Finding.Location {
      document.location(of: member.keyRange, pointer: pointer.description)
    }

    private func error(_ node: PropertyListNode?, _ key: String, _ wanted: String) -> BundleError {
      BundleError(
        .brokenReport,
        at: document.location(
          of: node?.range ?? member.value.range, pointer: pointer.appending(key).description),
        message: node.map { "'\(key)' is \($0.typeName), not \(wanted)." }
          ?? "'\(key)' is missing from '\(member.key)'.",
        help: "Xcode writes \(wanted) there. Take the file as it was exported.")
    }

    private func size(_ key: String) throws(BundleError) -> ByteCount {
      guard let node = member.value[key], case .integer(let value) = node.value, value >= 0 else {
        throw error(member.value[key], key, "a number of bytes")
      }
      return ByteCount(Int(value))
    }

    private func sizes(_ name: String) throws(BundleError) -> Sizes {
      Sizes(compressed: try size("sizeCompressed" + name), uncompressed: try size("sizeUncompressed" + name))
    }

    func variant() throws(BundleError) -> Variant {
      let devices = try devices()
      return Variant(
        name: member.key.hasPrefix("Apps/") ? String(member.key.dropFirst(5)) : member.key,
        devices: devices ?? [], isUniversal: devices == nil, app: try sizes("App"),
        onDemand: try sizes("ODR"), both: try sizes("AppAndODR"))
    }

    private func devices() throws(BundleError) -> [Device]? {
      // Xcode 9 wrote names and models in two lists; its text has each name once.
      if let names = member.value["variantNames"]?.array {
        return Set(names.compactMap(\.string)).sorted().map { Device(model: $0, osVersion: nil) }
      }
      let key = "variantDescriptors"
      guard let node = member.value[key] else { return nil }
      guard let elements = node.array else { throw error(node, key, "an array of dictionaries") }
      var devices: [Device] = []
      for element in elements {
        guard let model = element["device"]?.string, let version = element["os-version"]?.string else {
          throw error(element, key, "a dictionary with 'device' and 'os-version'")
        }
        devices.append(Device(model: model, osVersion: version))
      }
      return devices
    }
  }
}
