import LinkspanStories
import SimulatedDevices

/// Something of a story that has code of its own: an app, or an App Clip; by its place in the story.
enum StoryProgram: Hashable, Sendable {
  case app(Int)
  case clip(Int)
}

extension Story {
  func name(of program: StoryProgram) -> String {
    switch program {
    case .app(let place): apps[place].name
    case .clip(let place): clips[place].name
    }
  }

  func identifier(of program: StoryProgram) -> String {
    switch program {
    case .app(let place): apps[place].build.identifier
    case .clip(let place): clips[place].identifier
    }
  }

  /// The strings of its entitlement for associated domains.
  func entries(of program: StoryProgram) -> [String] {
    switch program {
    case .app(let place): apps[place].build.entries
    case .clip(let place): clips[place].domains
    }
  }

  func continuity(of program: StoryProgram) -> AppContinuity {
    switch program {
    case .app(let place): apps[place].continuity
    case .clip(let place): clips[place].continuity
    }
  }
}
