/// A new configuration file.
package enum ConfigurationText {
  /// A configuration file with every key, those that need not be said as comments.
  package static var commented: String {
    var text = """
      // The configuration of linkspan, in JSON5. Paths begin at the folder of this file.
      // No secret belongs in it: keys name the files that hold them.
      {

      """
    for key in ConfigurationKey.top { text += line(key, indent: "  ") }
    text += "  server: {\n"
    for key in ConfigurationKey.server { text += line(key, indent: "    ") }
    return text + "  },\n}\n"
  }

  private static func line(_ key: ConfigurationKey, indent: String) -> String {
    "\(indent)// \(key.help).\n\(indent)\(key.isWritten ? "" : "// ")\(key.name): \(key.example),\n"
  }
}
