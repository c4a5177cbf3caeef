import type { RawJson, RpcErrorObject } from '@wayleave/jsonrpc-core'
import { logFilterProblem } from './log-filter.ts'

/** What follows the kind: how many may, how many must, and what is wrong with the one that came. */
interface KindRule {
  readonly most: number
  readonly least: number
  readonly problem: (argument: unknown) => string | undefined
}

const kinds: Readonly<Record<string, KindRule>> = {
  newHeads: { most: 0, least: 0, problem: () => undefined },
  logs: { most: 1, least: 1, problem: logFilterProblem },
  newPendingTransactions: { most: 1, least: 0, problem: flagProblem },
}

/** Why `eth_subscribe` is refused with these params, in geth's words; undefined where it is not. */
export function subscribeRefusal(params: RawJson | undefined): RpcErrorObject | undefined {
  const value = params?.value()
  if (!Array.isArray(value)) return invalidParams('non-array args')
  const [kind, ...rest] = value as unknown[]
  if (typeof kind !== 'string') return invalidParams('expected subscription name as first argument')
  const rule = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  if (rule === undefined) {
    return { code: -32601, message: `no ${JSON.stringify(kind.slice(0, 64))} subscription in eth namespace` }
  }
  if (rest.length > rule.most) return invalidParams(`too many arguments, want at most ${rule.most + 1}`)
  if (rest.length < rule.least) return invalidParams('missing value for required argument 1')
  const problem = rule.problem(rest[0])
  return problem === undefined ? undefined : invalidParams(`invalid argument 1: ${problem}`)
}

/** The id that `eth_unsubscribe` names, or why it names none. */
export function unsubscribeId(params: RawJson | undefined): string | RpcErrorObject {
  const value = params?.value() ?? []
  if (!Array.isArray(value)) return invalidParams('non-array args')
  if (value.length === 0) return invalidParams('missing value for required argument 0')
  if (value.length > 1) return invalidParams('too many arguments, want at most 1')
  const id: unknown = value[0]
  if (typeof id === 'string') return id
  if (id === null) return ''
  return invalidParams(`invalid argument 0: json: cannot unmarshal ${jsonType(id)} into Go value of type rpc.ID`)
}

function flagProblem(flag: unknown): string | undefined {
  if (flag === undefined || flag === null || typeof flag === 'boolean') return undefined
  return `json: cannot unmarshal ${jsonType(flag)} into Go value of type bool`
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value
}

function invalidParams(message: string): RpcErrorObject {
  return { code: -32602, message }
}
