import { type EventPlace, readEventId } from './event-id.ts'

/** The filter of logs, as `eth_subscribe` takes it. */
export interface LogQuery {
  readonly address?: string | readonly string[]
  readonly topics?: readonly (null | string | readonly string[])[]
}

/** The events that a request asks for. */
export interface EventQuery {
  readonly kind: 'newHeads' | 'logs'
  readonly filter: LogQuery
  /** The last place that was told. */
  readonly place: EventPlace | undefined
  /** The first block to tell, where no place was. */
  readonly fromBlock: number | undefined
}

/** A query without meaning; its text tells a person what to do. */
export interface QueryProblem {
  readonly problem: string
}

const topicNames = ['topic0', 'topic1', 'topic2', 'topic3'] as const
const ofLogs: readonly string[] = ['address', ...topicNames]
const once: readonly string[] = ['type', 'fromBlock', 'fromHash', 'lastEventId']
/** Directives are read elsewhere. */
const directive = /^x-wayleave-/i

/**
 * Reads the query of a request for events. `lastEventId` is its header, which a browser sends by itself when it connects again with the
 * same query; it goes before all other places.
 */
export function readEventQuery(url: string, lastEventId: string | undefined): EventQuery | QueryProblem {
  const at = url.indexOf('?')
  const query = new URLSearchParams(at < 0 ? '' : url.slice(at))
  const kind = query.get('type')
  if (kind !== 'newHeads' && kind !== 'logs') return { problem: 'type: expected newHeads or logs' }
  const known = kind === 'logs' ? [...once, ...ofLogs] : once
  for (const name of new Set(query.keys())) {
    if (directive.test(name)) continue
    if (!known.includes(name)) {
      return { problem: `${JSON.stringify(name.slice(0, 64))}: expected one of ${known.join(', ')} with type=${kind}` }
    }
    if (once.includes(name) && query.getAll(name).length > 1) return { problem: `${name}: expected one, got several` }
  }
  const start = readStart(query, lastEventId)
  return 'problem' in start ? start : { kind, filter: readFilter(query), ...start }
}

function readStart(
  query: URLSearchParams,
  header: string | undefined,
): Pick<EventQuery, 'place' | 'fromBlock'> | QueryProblem {
  const [block, hash] = [query.get('fromBlock'), query.get('fromHash')]
  const id = header || query.get('lastEventId')
  if (block !== null && hash !== null) return { problem: 'expected either fromBlock or fromHash' }
  if (block !== null && !/^(0x[\da-f]{1,13}|\d{1,15})$/i.test(block)) {
    return { problem: 'fromBlock: expected a height, decimal or hex' }
  }
  if (hash !== null && !/^0x[\da-f]{64}$/i.test(hash)) {
    return { problem: 'fromHash: expected the hash of the last block that was told, 0x and 64 hex digits' }
  }
  const place = readEventId(id || hash || '')
  if (id && place === undefined) {
    return { problem: 'Last-Event-ID: expected the id of an event, as it was sent; leave it out to begin at the head' }
  }
  return { place, fromBlock: place === undefined && block !== null ? Number(block) : undefined }
}

function readFilter(query: URLSearchParams): LogQuery {
  const address = oneOrMore(query.getAll('address'))
  const topics = topicNames.map((name) => oneOrMore(query.getAll(name)) ?? null)
  while (topics.at(-1) === null) topics.pop()
  return { ...(address !== undefined && { address }), ...(topics.length > 0 && { topics }) }
}

function oneOrMore(values: readonly string[]): string | readonly string[] | undefined {
  return values.length > 1 ? values : values[0]
}

/** Makes the params of `eth_subscribe` for these events. */
export function subscribeParams({ kind, filter, place, fromBlock }: EventQuery): readonly unknown[] {
  const start = {
    ...(place !== undefined && { fromHash: place.hash }),
    ...(fromBlock !== undefined && { fromBlock: `0x${fromBlock.toString(16)}` }),
  }
  if (kind === 'logs') return [kind, { ...filter, ...start }]
  return Object.keys(start).length === 0 ? [kind] : [kind, start]
}
