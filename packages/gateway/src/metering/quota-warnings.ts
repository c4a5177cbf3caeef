import type { QuotaWarning } from '@wayleave/metering'
import type { Log } from '@wayleave/telemetry'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Webhook } from './webhook.ts'

export interface QuotaWarningsOptions {
  readonly log: Pick<Log, 'warn'>
  readonly metrics: Pick<Metrics, 'quotaMarks'>
  /** Read anew for each warning. */
  readonly webhook: Pick<Webhook, 'send'> | undefined
}

/** Makes the function that tells operators of a quota that has reached a mark: the log, the metrics and the webhook. */
export function createQuotaWarnings(options: QuotaWarningsOptions): (warning: QuotaWarning) => void {
  const { log, metrics } = options
  return ({ name, subject, mark, credits, resetsAt, action }) => {
    const { scope, window } = name
    // oxlint-disable-next-line no-restricted-globals -- reads no clock
    const reported = { scope, id: subject, window, mark, credits, resetsAt: new Date(resetsAt).toISOString(), action }
    metrics.quotaMarks(scope, window, String(mark)).add()
    log.warn(reported, 'a quota has reached a mark')
    options.webhook?.send('quota.mark', reported)
  }
}
