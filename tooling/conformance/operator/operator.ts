import { fileURLToPath } from 'node:url'
import { compareActs } from '../first-hour/compare-acts.ts'
import { runGuide } from './run-guide.ts'

/* Runs the acts of docs/operator.md, and compares the lines. `--write`: writes down those that differ. Exits with 0 if none does. */

const file = fileURLToPath(new URL('../../../docs/operator.md', import.meta.url))
process.exitCode = await compareActs(file, (_acts, markdown, signal) => runGuide(markdown, signal))
