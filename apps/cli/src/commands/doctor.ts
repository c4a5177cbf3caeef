import { systemClock } from '@wayleave/jsonrpc-core'
import { type Command, type CommandIo, UsageError } from '../command.ts'
import { printFinding, sumUp } from '../doctor/print-findings.ts'
import { readUpstreamUrls } from '../serve/home-flags.ts'
import { readFlags } from '../read-args.ts'

/** `wayleave doctor`: checks all that a gateway needs, and says what to do. */
export const doctor: Command = {
  help: `Usage: wayleave doctor [--config FILE] [--json]
       wayleave doctor --upstream URL [--upstream URL …] [--json]

Checks all that a gateway needs, before its start or while it runs, and says what to do about each fault: configuration, ports, upstreams
(chain, height, sync, archive, WebSocket, certificate), clocks, stores, certificates, limits of the system, who can read secrets, versions.
It asks each upstream some five questions. It changes nothing, prints no secret, and takes 15 seconds at most.

  --config FILE     the configuration; default: wayleave.config.ts, .yaml, .yml or .json in this folder
  --upstream URL    a node, as wayleave serve --upstream takes it, instead of a file
  --json            one line: {"ok","findings":[{"level","code","subject","text","remedy"}]}

Exit code: 0 nothing fails, warnings or not, 1 something fails.
`,
  async run(args, io) {
    const values = readFlags(args, {
      config: { type: 'string' },
      upstream: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
    })
    const { config, upstream, json } = values
    if (config !== undefined && upstream !== undefined) {
      throw new UsageError('expected --config FILE or --upstream URL, got both')
    }
    const place = upstream === undefined ? { file: config } : { upstreams: readUpstreamUrls(upstream) }
    const progress = createProgress(json, io)
    const { examine } = await import('../doctor/examine.ts')
    const findings = await examine(place, io, { onProgress: progress.show })
    progress.clear()
    const isWell = findings.every(({ level }) => level !== 'fail')
    if (json) {
      io.stdout(`${JSON.stringify({ ok: isWell, findings })}\n`)
    } else {
      io.stdout(findings.map((finding) => printFinding(finding, io.process.stdout)).join(''))
      io.stderr(`${sumUp(findings)}\n`)
    }
    return isWell ? 0 : 1
  },
}

/** A line of a terminal that tells which checks are still open. */
function createProgress(isQuiet: boolean, { stderr, process }: CommandIo) {
  const isShown = !isQuiet && process.stderr.isTTY
  const begun = systemClock.now()
  return {
    show(done: number, open: readonly string[]): void {
      if (!isShown || open.length === 0) return
      const seconds = Math.round((systemClock.now() - begun) / 1_000)
      const line = `${done} of ${done + open.length} checked, ${seconds} s; open: ${open.join(', ')}`
      stderr(`\r\u001B[K${line.slice(0, (process.stderr.columns || 80) - 1)}`)
    },
    clear(): void {
      if (isShown) stderr('\r\u001B[K')
    },
  }
}
