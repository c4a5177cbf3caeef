import { type HttpAnswer, plainAnswer } from '@wayleave/http-server'
import type { ReloadReport } from '../config/config-diff.ts'

export const reloadPath = '/reload'

/**
 * Answers `POST /reload`, which has the configuration read again, with the report as JSON: 200 if it is served, 409 if only a restart
 * can, 422 if it is wrong, 503 while the gateway starts or ends. Never rejects.
 */
export async function answerReload(reread: (() => Promise<ReloadReport> | undefined) | undefined): Promise<HttpAnswer> {
  if (reread === undefined) return noFile
  let report: ReloadReport | undefined
  try {
    report = await reread()
  } catch {
    return failed
  }
  if (report === undefined) return notRunning
  const { diff, applied, problems } = report
  const status = problems.length === 0 ? 200 : diff.needsRestart.length > 0 ? 409 : 422
  const body = `${JSON.stringify({ applied, problems, ...diff })}\n`
  return { status, contentType: 'application/json', body, headers: [] }
}

const noFile = plainAnswer(404, 'this gateway was started without a configuration file that it could read again\n')
const notRunning = plainAnswer(503, 'the gateway starts or ends, and reads nothing again\n')
const failed = plainAnswer(500, 'the configuration could not be read again\n')
