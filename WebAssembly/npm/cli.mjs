#!/usr/bin/env node
// `linkspan` on any system with Node: the words go to the module as they are.
import { run } from './host.mjs'
import { serve } from './lsp.mjs'
import { host, module, reason, writeAll } from './node.mjs'

/** Says why there is no answer. 1 is an answer, and Node ends with it by itself where an error is caught by none. */
function fail(text) {
  process.exitCode = 2
  try {
    writeAll(2, new TextEncoder().encode(`linkspan: error: ${text}\n`))
  } catch { /* The status says it. */ }
}

async function answer(words) {
  const { status, stdout, stderr } = await run(module, words, host)
  try {
    // Whoever asks for the first lines only has them.
    process.exitCode = writeAll(1, stdout) ? status : 0
    writeAll(2, stderr)
  } catch (error) {
    fail(`cannot write the output: ${reason(error)}.\n  The output is incomplete. Free some space, or write to another place.`)
  }
}

const words = process.argv.slice(2)
try {
  if (words[0] === 'lsp') process.exitCode = await serve(words)
  else await answer(words)
} catch (error) {
  fail(reason(error))
}
