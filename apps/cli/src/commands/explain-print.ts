import { styleText } from 'node:util'
import type { Explanation } from '@wayleave/gateway'
import { printRows } from '../accounts/print.ts'
import type { CommandIo } from '../command.ts'
import { cutLine } from '../output/visible.ts'

/** Longest text of a gateway that is printed, in characters. */
const longestText = 2_000
/** Longest cause in a table, in characters. */
const longestCell = 100

/** Prints what became of each call: its place, its cause, its attempts, and the upstreams that were left alone. */
export function printCalls(calls: readonly Explanation[], io: CommandIo): void {
  const stream = io.process.stdout
  const bold = (text: string): string => (stream.isTTY ? styleText('bold', text, { stream }) : text)
  const faint = (text: string): string => (stream.isTTY ? styleText('dim', text, { stream }) : text)
  io.stdout(calls.map((call) => `${linesOf(call, bold, faint).join('\n')}\n`).join('\n'))
}

/** Tells what became of a call, in lines; without `bold` and `faint` in plain text. */
export function linesOf(
  call: Explanation,
  bold: (text: string) => string = String,
  faint: (text: string) => string = String,
): string[] {
  const { id, time, network, method, project, keyId, outcome, code, cause, ms } = call
  const ending = `${outcome.replaceAll('_', ' ')}${code === undefined ? '' : ` (${code})`}`
  const place = network === undefined ? [] : [`${network} ${method}, project ${project}, key ${keyId}`]
  const notes = [
    ...(call.upstream === undefined ? [] : [`upstream ${call.upstream}`]),
    ...(call.cache === undefined ? [] : [`cache ${call.cache}`]),
    ...(call.verification === undefined ? [] : [`verification ${call.verification}`]),
    ...(call.queuedMs === undefined ? [] : [`waited ${Math.round(call.queuedMs)} ms for an upstream with room`]),
    ...(call.sharedWith === undefined ? [] : [`shared the answer of ${call.sharedWith}`]),
  ]
  return [
    `${bold(shown(id))}  ${faint(shown(time))}`,
    ...place.map((text) => `  ${shown(text)}`),
    `  ${bold(shown(ending))} after ${Math.round(ms)} ms`,
    `  ${shown(cause)}`,
    ...call.attempts.map(
      ({ atMs, isHedge, text }) =>
        `  ${faint(`+${Math.round(atMs)} ms`.padEnd(10))}${shown(text)}${isHedge ? faint(' (asked beside another one)') : ''}`,
    ),
    ...call.candidates.map(({ text }) => `  ${faint('left alone'.padEnd(10))} ${shown(text)}`),
    ...(notes.length === 0 ? [] : [`  ${faint(shown(notes.join('; ')))}`]),
  ]
}

/** Prints a line for each call: a table on a terminal, lines with tabs in a pipe. */
export function listCalls(calls: readonly Explanation[], io: CommandIo): void {
  const cut = (text: string): string =>
    io.process.stdout.isTTY && text.length > longestCell ? `${text.slice(0, longestCell - 1)}…` : text
  const note = calls.length === 0 ? 'no call went badly lately' : 'wayleave explain ID tells more of one'
  printRows(
    calls,
    [
      { title: 'TIME', cell: ({ time }) => shown(time) },
      { title: 'ID', cell: ({ id }) => shown(id) },
      { title: 'NETWORK', cell: ({ network = '-' }) => shown(network) },
      { title: 'METHOD', cell: ({ method = '-' }) => shown(method) },
      { title: 'OUTCOME', cell: ({ outcome }) => shown(outcome) },
      { title: 'MS', cell: ({ ms }) => String(Math.round(ms)), right: true },
      { title: 'CAUSE', cell: ({ cause }) => cut(shown(cause)) },
    ],
    note,
    io,
  )
}

const shown = (text: string): string => cutLine(text, longestText)
