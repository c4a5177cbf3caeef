import { isDeepStrictEqual } from 'node:util'
import { httpUrl, startGatewayBefore } from '../test/support/gateway.ts'
import { ask, call, post, type RpcAnswer } from '../test/support/http.ts'
import { startRelay } from '../test/support/relay.ts'
import type { Lie } from './catalogue.ts'
import type { World } from './world.ts'

/** The place of the liar among three upstreams, or that there is no other. */
export const places = ['first', 'second', 'alone'] as const
export const levels = ['consistent', 'proven'] as const
export type Place = (typeof places)[number]
export type Level = (typeof levels)[number]

export interface Cell {
  /** The answer that the caller got. */
  readonly served: 'true' | 'false' | 'error'
  /** Whether the liar was shown to lie; `asked`: it was asked, and not found out. */
  readonly liar: 'refused' | 'asked' | 'unasked'
  /** The mark of the answer, `X-Wayleave-Verified`; null: it has none. */
  readonly mark: string | null
}

/** Asks one question of a gateway with the liar in this place. */
export async function runLie(lie: Lie, world: World, place: Place, level: Level): Promise<Cell> {
  const { method } = lie
  const params = lie.params(world)
  await using liar = await startRelay(world.url, lie.change(world))
  const { httpUrl: honest } = world.honest
  const { httpUrl: another } = world.another
  const upstreams = {
    first: [liar.httpUrl, honest, another],
    second: [honest, liar.httpUrl, another],
    alone: [liar.httpUrl],
  }[place]
  await using gateway = await startGatewayBefore([], {
    networks: { net: { kind: 'evm', chainId: 1, upstreams, verify: level } },
  })
  const truth = await ask(world.url, method, params)
  if (place !== 'second' && isDeepStrictEqual(await ask(liar.httpUrl, method, params), truth)) {
    throw new Error(`${lie.about}, ${lie.name}: ${method} is answered with the truth, so the lie is none`)
  }
  const { text, headers } = await post(httpUrl(gateway), call(method, params))
  const { result, error } = JSON.parse(text) as RpcAnswer
  const served = error !== undefined ? 'error' : isDeepStrictEqual(result, truth) ? 'true' : 'false'
  const { text: metrics } = await post(`${gateway.admin}/metrics`, '', { method: 'GET' })
  const own = `endpoint="upstream-${place === 'second' ? 2 : 1}",method="${method}",outcome=`
  const isRefused = metrics.includes(`${own}"refused"`)
  const liarWas = isRefused ? 'refused' : metrics.includes(own) ? 'asked' : 'unasked'
  return { served, liar: liarWas, mark: (headers['x-wayleave-verified'] as string | undefined) ?? null }
}
