// The decisions are a target of their own, because the program runs them without Foundation; apps see one module.
@_exported public import LinkspanDecisions
