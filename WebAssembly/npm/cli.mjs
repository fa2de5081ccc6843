#!/usr/bin/env node
// `linkspan` on any system with Node: the words go to the module as they are.
import { run } from './host.mjs'
import { serve } from './lsp.mjs'
import { host, module, writeAll } from './node.mjs'

const words = process.argv.slice(2)
if (words[0] === 'lsp') {
  process.exitCode = await serve(words)
} else {
  const { status, stdout, stderr } = await run(module, words, host)
  writeAll(1, stdout)
  writeAll(2, stderr)
  process.exitCode = status
}
