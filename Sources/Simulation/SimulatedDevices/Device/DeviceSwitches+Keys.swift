extension DeviceSwitches {
  /// The switches by the names that a story uses, in the order of the documentation.
  package static var keys: [(name: String, path: WritableKeyPath<DeviceSwitches, Bool>)] {
    [
      ("device_asks_host_when_told", \.asksHostWhenTold),
      ("device_keeps_approval_after_refusal", \.keepsApprovalAfterRefusal),
      ("device_waits_after_boot", \.waitsAfterBoot), ("push_as_observed", \.pushesAsObserved),
      ("push_groups_low_priority", \.groupsLowPriorityPushes),
    ]
  }
}
