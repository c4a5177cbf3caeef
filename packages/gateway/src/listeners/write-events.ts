import type { ServerResponse } from 'node:http'
import type { Clock } from '@wayleave/jsonrpc-core'
import { drained } from './write-body.ts'

/**
 * Writes server-sent events as fast as they are taken, and ends the answer with them; or once nothing but comments have
 * come for `idleMs`. Never rejects.
 */
export async function writeEvents(
  response: ServerResponse,
  events: AsyncIterable<string>,
  clock: Clock,
  idleMs: number,
): Promise<void> {
  let activeAt = clock.now()
  try {
    for await (const part of events) {
      if (response.destroyed) break
      if (!part.startsWith(':')) activeAt = clock.now()
      else if (clock.now() - activeAt >= idleMs) break
      if (!response.write(part)) await drained(response)
    }
    response.end()
  } catch {
    // The status was sent: what broke off must not look whole.
    response.destroy()
  }
}
