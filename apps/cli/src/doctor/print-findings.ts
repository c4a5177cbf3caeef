import { styleText } from 'node:util'
import { oneLine } from '../output/visible.ts'
import type { Finding } from './finding.ts'

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const

/** Prints a finding: a line, and with a remedy a second one. `stream` decides about colours. */
export function printFinding({ level, subject, text, remedy }: Finding, stream: NodeJS.WriteStream): string {
  const mark = styleText(colours[level], level.padEnd(4), { stream })
  const line = `${mark}  ${oneLine(subject)}: ${oneLine(text)}\n`
  return remedy === undefined ? line : `${line}      ${styleText('dim', 'do:', { stream })} ${oneLine(remedy)}\n`
}

/** Sums up findings: `3 ok, 1 warning, 2 failures`. */
export function sumUp(findings: readonly Finding[]): string {
  const count = (level: Finding['level']): number => findings.filter((each) => each.level === level).length
  const named = (n: number, noun: string): string[] => (n === 0 ? [] : [`${n} ${noun}${n === 1 ? '' : 's'}`])
  return [`${count('ok')} ok`, ...named(count('warn'), 'warning'), ...named(count('fail'), 'failure')].join(', ')
}
