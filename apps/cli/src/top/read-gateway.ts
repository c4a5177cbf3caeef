import { systemClock } from '@wayleave/jsonrpc-core'
import { askAdmin } from '../accounts/ask-admin.ts'
import type { GatewayPlace } from '../accounts/gateway-place.ts'
import type { Scrape, Status } from './overview.ts'
import { parseMetrics } from './parse-metrics.ts'

/** Why there is no look: a sentence that says what to do. */
export interface NoScrape {
  readonly fault: string
  /** Whether asking again cannot help. */
  readonly isFinal: boolean
}

/** Looks at a gateway by `/metrics` and `/status`. Never rejects. */
export async function readGateway(place: GatewayPlace, signal: AbortSignal): Promise<Scrape | NoScrape> {
  const { status, body } = await askAdmin(place, 'GET', '/metrics', signal)
  if (status === 0) return { fault: body, isFinal: false }
  if (status === 401 || status === 403) {
    const fault = `it asks for a token with the scope read: $WAYLEAVE_ADMIN_TOKEN or --token-file (HTTP ${status})`
    return { fault, isFinal: true }
  }
  if (status < 200 || status > 299) return noGateway(place, `HTTP ${status}`)
  const at = systemClock.now()
  const samples = parseMetrics(body)
  if (![...samples.keys()].some((name) => name.startsWith('wayleave_'))) return noGateway(place, 'other metrics')
  const state = await askAdmin(place, 'GET', '/status', signal)
  return { at, samples, status: state.status === 200 ? readStatus(state.body) : undefined }
}

function noGateway({ url }: GatewayPlace, got: string): NoScrape {
  return {
    fault: `${url}: expected the metrics of a gateway, got ${got}; --admin URL names its admin listener`,
    isFinal: true,
  }
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
