#!/usr/bin/env node
// `linkspan` on any system with Node: the words go to the module as they are.
import { run } from './host.mjs'
import { host, module, writeAll } from './node.mjs'

const { status, stdout, stderr } = await run(module, process.argv.slice(2), host)
writeAll(1, stdout)
writeAll(2, stderr)
process.exitCode = status
