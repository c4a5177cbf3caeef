import { array, boolean, oneOf, optional, type TypeOf } from '@wayleave/jsonrpc-core/schema'
import type { CommandIo } from '../command.ts'
import type { ExaminedPlace } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import { sumUp } from '../doctor/print-findings.ts'
import { oneLine } from '../output/visible.ts'
import { anyText, cut, exact } from './fields.ts'
import { createTool, type Tool } from './tool.ts'

const mostFindings = 500

const output = exact('a diagnosis', {
  ok: boolean,
  findings: array(
    exact('a finding', {
      level: oneOf('ok', 'warn', 'fail'),
      code: anyText,
      subject: anyText,
      text: anyText,
      remedy: optional(anyText),
    }),
  ),
  complete: boolean,
})

/**
 * Creates the tool that checks all that a gateway needs. The place is that of the command's flags: a model names no file to read, and no
 * address to connect to.
 */
export function createDoctorTool(place: ExaminedPlace, io: CommandIo): Tool {
  let isBusy = false
  return createTool({
    name: 'doctor',
    title: 'Doctor',
    description:
      'Checks all that a Wayleave gateway needs, and says what to do about each fault: configuration, ports, upstreams, clocks, stores, certificates, limits. It asks each upstream some five questions, changes nothing, and takes 15 seconds at most.',
    annotations: { readOnlyHint: true, openWorldHint: true },
    input: exact('no arguments', {}),
    output,
    async run(_args, signal) {
      if (isBusy) return { fault: 'a check is under way: wait for its answer, 15 seconds at most' }
      isBusy = true
      try {
        // The checks load the gateway, which takes a third of a second.
        const { examine } = await import('../doctor/examine.ts')
        const found = await examine(place, io, { signal })
        const findings = found.slice(0, mostFindings).map(reportedOf)
        const ok = found.every(({ level }) => level !== 'fail')
        const lines = findings.map(
          ({ level, subject, text, remedy }) =>
            `${level.padEnd(4)}  ${oneLine(subject)}: ${oneLine(text)}${remedy === undefined ? '' : `\n      do: ${oneLine(remedy)}`}`,
        )
        const data: TypeOf<typeof output> = { ok, findings, complete: found.length <= mostFindings }
        return { data, text: [...lines, sumUp(found)].join('\n') }
      } finally {
        isBusy = false
      }
    },
  })
}

function reportedOf(finding: Finding): Finding {
  return Object.fromEntries(Object.entries(finding).map(([name, text]: [string, string]) => [name, cut(text)])) as never
}
