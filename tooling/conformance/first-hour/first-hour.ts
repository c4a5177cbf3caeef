import { fileURLToPath } from 'node:url'
import { compareActs } from './compare-acts.ts'
import { runActs } from './run-acts.ts'

/* Runs the acts of docs/first-hour.md, and compares the lines. `--write`: writes down those that differ. Exits with 0 if none does. */

const file = fileURLToPath(new URL('../../../docs/first-hour.md', import.meta.url))
process.exitCode = await compareActs(file, (acts, _markdown, signal) => runActs(acts, signal))
