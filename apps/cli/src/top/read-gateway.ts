import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import { withDeadline } from '../doctor/with-deadline.ts'
import type { Scrape, Status } from './overview.ts'
import { parseMetrics } from './parse-metrics.ts'

/** The admin listener that is asked. */
export interface AdminPlace {
  readonly url: string
  readonly token: string | undefined
  readonly timeoutMs: number
}

/** Why there is no look: a sentence that says what to do. */
export interface NoScrape {
  readonly fault: string
  /** Whether asking again cannot help. */
  readonly isFinal: boolean
}

const longestAnswer = 32 * 1_048_576

/** Looks at a gateway by `/metrics` and `/status`. Never rejects. */
export async function readGateway(
  place: AdminPlace,
  signal: AbortSignal,
  clock: Pick<Clock, 'now' | 'after'> = systemClock,
): Promise<Scrape | NoScrape> {
  const metrics = await get(place, '/metrics', signal, clock)
  if (typeof metrics !== 'string') return metrics
  const at = clock.now()
  const samples = parseMetrics(metrics)
  if (![...samples.keys()].some((name) => name.startsWith('wayleave_'))) return noGateway(place, 'other metrics')
  const status = await get(place, '/status', signal, clock)
  return { at, samples, status: typeof status === 'string' ? readStatus(status) : undefined }
}

async function get(
  place: AdminPlace,
  path: string,
  signal: AbortSignal,
  clock: Pick<Clock, 'after'>,
): Promise<string | NoScrape> {
  const { url, token, timeoutMs } = place
  try {
    return await withDeadline(
      timeoutMs,
      signal,
      async (bounded) => {
        const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
        // The token goes to nobody else.
        const response = await fetch(`${url}${path}`, { headers, redirect: 'error', signal: bounded })
        if (response.status === 401 || response.status === 403) {
          await response.body?.cancel()
          const fault = `it asks for a token with the scope read: $WAYLEAVE_ADMIN_TOKEN or --token-file (HTTP ${response.status})`
          return { fault, isFinal: true }
        }
        if (!response.ok) {
          await response.body?.cancel()
          return noGateway(place, `HTTP ${response.status}`)
        }
        return (await readText(response)) ?? noGateway(place, 'an endless answer')
      },
      clock,
    )
  } catch {
    return { fault: `nothing answers at ${url}: --admin URL names the admin listener of a gateway`, isFinal: false }
  }
}

function noGateway({ url }: AdminPlace, got: string): NoScrape {
  return {
    fault: `${url}: expected the metrics of a gateway, got ${got}; --admin URL names its admin listener`,
    isFinal: true,
  }
}

async function readText(response: Response): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > longestAnswer) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function readStatus(text: string): Status | undefined {
  try {
    const { phase, degraded, networks } = JSON.parse(text) as Status
    const isStatus =
      typeof phase === 'string' &&
      degraded.every((what) => typeof what === 'string') &&
      Object.values(networks).every(
        ({ state, upstreams }) =>
          typeof state === 'string' &&
          upstreams.every((each) => [each.name, each.state, each.reason ?? ''].every((it) => typeof it === 'string')),
      )
    return isStatus ? { phase, degraded, networks } : undefined
  } catch {
    return undefined
  }
}
