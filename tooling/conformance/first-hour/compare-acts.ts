import { readFileSync, writeFileSync } from 'node:fs'
import { out } from '@wayleave/bench/program'
import { type Act, actsOf, matches, withLines } from './transcript.ts'

/**
 * Runs the acts of a transcript, compares the lines, and gives the exit code: 0 if none differs. `--write` on the command line writes down
 * those that differ.
 */
export async function compareActs(
  file: string,
  run: (acts: readonly Act[], markdown: string, signal: AbortSignal) => AsyncIterable<readonly string[]>,
): Promise<number> {
  const isWritten = process.argv.includes('--write')
  const markdown = readFileSync(file, 'utf8')
  const acts = actsOf(markdown)
  const seen: (readonly string[])[] = []
  let wrong = 0
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())

  for await (const lines of run(acts, markdown, interrupted.signal)) {
    const act = acts[seen.length]!
    const isRight = matches(act.lines, lines)
    seen.push(isRight ? act.lines : lines)
    out(`${isRight ? 'ok   ' : 'DIFFERS'} ${act.command}`)
    if (isRight) continue
    wrong++
    for (const line of lines) out(`       | ${line}`)
  }
  if (isWritten && wrong > 0) writeFileSync(file, withLines(markdown, seen))
  out(`${acts.length} acts, ${wrong} ${isWritten ? 'written' : 'differ'}`)
  return wrong === 0 || isWritten ? 0 : 1
}
