extension SpecificationRule {
  /// Handoff: what is on the air.
  static let handoff = """
    HO1 | inferred | published frames, OWN | Handoff advertises a hash of the activity type in lower case; types that differ only in case are the same on the air.
    B.1 | observed | published frames | A Handoff advertisement is manufacturer data of Apple (4c00) with an element of type 0c and 14 bytes: status byte, counter of two bytes, one byte of the tag, ten encrypted bytes.
    B.2 | observed | published frames, OWN | The ten bytes are sealed with AES-GCM under a key of 32 bytes that the two devices share; the counter is the nonce, the status byte is authenticated, and one byte of the tag goes over the air.
    B.3 | observed | published frames | The ten bytes are a status byte, the seven bytes of the activity hash, the options and the time byte; a hash of zeros offers nothing. The time byte counts steps of 4 seconds within 496, and its highest bit says that the activity is in use.
    B.4 | observed | published frames, OWN | The activity hash is SHA-512 of 'team:type' in lower case, folded to seven bytes by exclusive or, its two highest bits replaced by the kind. Seven hashes of Apple's own activities confirm it; for other teams it is a prediction.
    B.5 | inferred | OWN | A device stops advertising 120 s after the activity was last used and 8 s after it was locked; another resumes the activity until 10 s after the advertisement ended.
    B.6 | observed | published frames | Apple's manufacturer data is a row of elements, each a type, a length and a value, until the advertisement ends.
    """
}
