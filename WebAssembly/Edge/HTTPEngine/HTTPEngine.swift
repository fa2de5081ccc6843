// Imported by commands that talk to hosts; the module leaves that to its host.
