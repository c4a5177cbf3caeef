import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { actsOf, matches, withLines } from '../first-hour/transcript.ts'
import { runGuide } from './run-guide.ts'

/* Runs the acts of docs/operator.md, and compares the lines. `--write`: writes down those that differ. Exits with 0 if none does. */

const file = fileURLToPath(new URL('../../../docs/operator.md', import.meta.url))
const isWritten = process.argv.includes('--write')
const markdown = readFileSync(file, 'utf8')
const acts = actsOf(markdown)
const seen: (readonly string[])[] = []
let wrong = 0
const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort())

for await (const lines of runGuide(markdown, interrupted.signal)) {
  const act = acts[seen.length]!
  const isRight = matches(act.lines, lines)
  seen.push(isRight ? act.lines : lines)
  process.stdout.write(`${isRight ? 'ok   ' : 'DIFFERS'} ${act.command}\n`)
  if (isRight) continue
  wrong++
  for (const line of lines) process.stdout.write(`       | ${line}\n`)
}
if (isWritten && wrong > 0) writeFileSync(file, withLines(markdown, seen))
process.stdout.write(`${acts.length} acts, ${wrong} ${isWritten ? 'written' : 'differ'}\n`)
process.exitCode = wrong === 0 || isWritten ? 0 : 1
