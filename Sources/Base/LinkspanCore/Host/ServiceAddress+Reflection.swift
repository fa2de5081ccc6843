extension ServiceAddress: CustomReflectable {
  /// Without the stored properties, so that no dump shows them.
  package var customMirror: Mirror { Mirror(self, children: ["address": description]) }
}
