extension SpecificationRule {
  /// What was built: bundles and their signatures (B), the sizes of App Clips (Z).
  static let bundle = """
    B1 | documented | Apple: Placing content in a bundle | An app is a folder with an Info.plist that names its program; an .ipa is a zip archive that holds it in 'Payload'.
    B2 | inferred | OWN | Archives that a build made have no paths that lead out, no links, no duplicate or overlapping entries and no contents out of proportion; what has them is refused.
    B3 | documented | Apple: loader.h and cs_blobs.h of Darwin | A program's signature holds code directories, which name its identifier and team, and the entitlements.
    B4 | documented | Apple: Using the latest code signature format | Since iOS 15 a device reads the entitlements in their DER form.
    B5 | documented | Apple: TN3125, Inside Code Signing: Provisioning Profiles | A provisioning profile is a property list in a CMS structure that Apple has signed.
    B6 | documented | Apple: QA1879, Resolving App ID Prefix Mismatching | An app whose signature and embedded profile have different prefixes of the application identifier is neither installed nor accepted for submission.
    B7 | documented | Apple: TN3125, Inside Code Signing: Provisioning Profiles | A profile says which app may run and until when: its application identifier is the app's or a pattern for it, and it has an expiration date.
    Z1 | documented | Apple: Maximum build file sizes | Apple's limit for App Clips counts the unpacked bundle, after thinning, of every variant.
    Z2 | documented | Apple: Choosing the right functionality for your App Clip | A clip may have 10 MB, 15 MB from iOS 16 as its minimum, 100 MB from iOS 17 when it is only opened digitally.
    Z3 | observed | published reports beside their property lists | Xcode's size report has decimal units, rounded to the nearest; only the property list and the .ipa are exact.
    Z4 | documented | Apple: UIAppFonts | iOS registers the fonts of the Info.plist when the app starts, from its bundle.
    Z5 | inferred | OWN | A team's own budget is stricter than Apple's limit, and a build above it fails.
    """
}
