import type { NetworkTrial } from '@wayleave/gateway'

/** Whether a policy should not be served. */
export const hasFaults = (trials: readonly NetworkTrial[]): boolean =>
  trials.some((network) => network.trials.some(({ faults }) => faults.length > 0))

/** Prints the trial of each network: a table of its scenarios, and a verdict. */
export function printTrials(trials: readonly NetworkTrial[]): string {
  return trials.map(printTrial).join('')
}

function printTrial({ network, hasPolicy, upstreams, trials }: NetworkTrial): string {
  const head = ['scenario', ...upstreams, 'failed', 'p50 ms', 'p95 ms', 'faults', 'µs a choice']
  const rows = trials.map(({ outcome, byDefault }) => {
    const { asked, calls, failed, p50Ms, p95Ms, faults, decisionUs } = outcome
    const total = Object.values(asked).reduce((sum, count) => sum + count, 0)
    const shares = upstreams.map((name) => `${total === 0 ? 0 : Math.round((100 * asked[name]!) / total)} %`)
    const than = hasPolicy ? ` (${byDefault.failed})` : ''
    const times = [p50Ms, p95Ms].map((ms) => (Number.isNaN(ms) ? '-' : ms.toFixed(0)))
    const kinds = Object.entries(faults).map(([kind, count]) => `${kind.replace('_', ' ')} ${count}`)
    const cells = [outcome.scenario, ...shares, `${failed} of ${calls}${than}`, ...times]
    return [...cells, kinds.join(', ') || '-', decisionUs.toFixed(1)]
  })
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]!.length)))
  const line = (row: readonly string[]): string =>
    `  ${row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd()}\n`
  const policy = hasPolicy ? 'its own policy; in brackets, calls that fail with the default one' : 'the default policy'
  return `\n${network}: ${policy}\n\n${[head, ...rows].map(line).join('')}\n${verdictOf(trials)}`
}

function verdictOf(trials: NetworkTrial['trials']): string {
  const lines = trials.flatMap(({ outcome, faults }) => faults.map((fault) => `  ${outcome.scenario}: ${fault}\n`))
  if (lines.length === 0) return '  Verdict: it can be served.\n'
  return `  Verdict: it should not be served. The gateway keeps calls alive without it, but:\n${lines.join('')}`
}
