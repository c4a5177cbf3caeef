import type { Server } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Clock } from '@wayleave/jsonrpc-core'
import { type Issue, printPath } from '@wayleave/jsonrpc-core/schema'
import { errorClass, type Log } from '@wayleave/telemetry'
import type { OpenTls } from './open-tls.ts'

/** How often the files are read again, in ms. */
const betweenMs = 10_000

export interface ReloadTlsOptions {
  readonly clock: Clock
  readonly log: Log
  /** Called with the new certificate, a PEM text. */
  readonly onRenewed?: ((cert: string) => void) | undefined
}

/**
 * Gives new connections a renewed certificate, once both files fit each other again; open connections keep theirs.
 * Returns the function that stops it.
 */
export function reloadTls(
  server: Server,
  { material, read }: OpenTls,
  { clock, log, onRenewed }: ReloadTlsOptions,
): () => void {
  let { cert, key } = material
  let stop = clock.after(betweenMs, () => void look())
  let ended = false
  /** The last complaint, so that each is made once. */
  let reported = ''

  async function look(): Promise<void> {
    const found = await read().catch(unread)
    if (ended) return
    if ('issues' in found)
      complain(found.issues.map(({ path, expected }) => `${printPath(path)}: expected ${expected}`))
    else if (found.cert !== cert || found.key !== key) {
      const tlsServer = server as TlsServer
      tlsServer.setSecureContext(found)
      ;({ cert, key } = found)
      reported = ''
      onRenewed?.(cert)
      log.info('the certificate was renewed')
    }
    stop = clock.after(betweenMs, () => void look())
  }

  function complain(reasons: readonly string[]): void {
    const text = reasons.join('; ')
    if (text !== reported) log.warn(`the old certificate stays, as the new one cannot be used: ${text}`)
    reported = text
  }

  return () => {
    ended = true
    stop()
  }
}

/** Words a host's reading of the files that broke its promise never to reject. */
function unread(thrown: unknown): { readonly issues: readonly Issue[] } {
  return { issues: [{ path: ['tls'], expected: 'files that can be read', received: errorClass(thrown) }] }
}
