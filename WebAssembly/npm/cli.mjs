#!/usr/bin/env node
// `linkspan` on any system with Node: the words go to the module as they are.
import { existsSync } from 'node:fs'
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
    // Node has U+FFFD in place of bytes that are no UTF-8.
    if (status === 2 && words.some((word) => word.includes('\ufffd') && !/^[a-z]+:/i.test(word) && !existsSync(word))) {
      writeAll(2, new TextEncoder().encode('  A name that is not UTF-8 has U+FFFD here. Rename the file, or name a link to it that has a name in UTF-8.\n'))
    }
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
