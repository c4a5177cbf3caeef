import { blockNumberOrTagSchema } from '@wayleave/evm-types'
import { UsageError } from '../command.ts'
import type { Method } from './methods.ts'
import { blockFault, flagOfMember, objectOfFlags, type ParamFlagValues, readBlock, takesCall } from './param-flags.ts'

/**
 * Reads the params of a method as a person types them. Each position is JSON if it parses as JSON, else text; a decimal
 * number becomes hex where the method takes a quantity. Flags set the call object, the filter and the block.
 * @throws UsageError for wrong params, unless `unchecked`.
 */
export function readParams(
  method: Method,
  texts: readonly string[],
  flags: ParamFlagValues,
  unchecked: boolean,
): readonly unknown[] {
  if (texts.some((text) => /^(?:https?|wss?):\/\//.test(text)))
    throw new UsageError('a URL came as an argument: give it by --rpc-url')
  const object = objectOfFlags(method, flags, usageOf(method))
  const all: (string | object)[] = object === undefined ? [...texts] : [object, ...texts]
  const { blockParam } = method
  if (flags.block !== undefined && blockParam !== undefined) {
    if (all.length > blockParam) throw new UsageError('the block came twice: by --block and by its position')
    if (all.length < blockParam) throw new UsageError(missing(method, all.length))
    all.push(flags.block)
  }
  const params = all.map((given, i) => {
    if (typeof given !== 'string') return given
    return i === blockParam ? readBlockParam(given) : readValue(given)
  })
  fillDefaults(method, params)
  if (unchecked) return params
  for (let tries = 0; ; tries++) {
    const issue = method.params.check(params, '')
    if (issue === undefined) return params
    const place = /^\[(\d+)\]$/.exec(issue.path)?.[1]
    const given = place === undefined ? undefined : all[Number(place)]
    const other =
      typeof given === 'string' && tries < all.length ? otherReading(given, params[Number(place)]) : undefined
    if (other !== undefined) params[Number(place)] = other
    else if (place !== undefined && given === undefined) throw new UsageError(missing(method, Number(place)))
    else if (issue.path === '' && params.length > (method.paramNames?.length ?? Infinity)) {
      throw new UsageError(`too many arguments: expected ${usageOf(method) || 'none'}`)
    } else {
      const flag = object === undefined ? undefined : flagOfMember(issue.path)
      const name = flag ?? (place === undefined ? `params${issue.path}` : nameAt(method, Number(place)))
      const text = flag === undefined ? given : flags[flag.slice(2)]
      const isBlock = typeof text === 'string' && issue.expected.startsWith(blockNumberOrTagSchema.expected)
      const fault = isBlock
        ? blockFault(text, issue.expected.includes('hash'))
        : `expected ${issue.expected}, got ${issue.received}`
      throw new UsageError(`${name}: ${fault}; --unchecked sends it all the same`)
    }
  }
}

/** Prints the params of a method for its usage line: `ADDRESS POSITION [BLOCK]`. */
export function usageOf({ paramNames = [] }: Method): string {
  return paramNames.map((name) => (name.endsWith('?') ? `[${upper(name)}]` : upper(name))).join(' ')
}

/** Reads a text as JSON if it parses as JSON, else as itself. */
export function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Reads a text as a block: a decimal number becomes hex, anything else is JSON or text. */
export function readBlockParam(text: string): unknown {
  const block = readBlock(text)
  return block === text ? readValue(text) : block
}

/** Tries another reading of a refused param: a decimal number as a quantity, then a JSON value as the text itself. */
function otherReading(text: string, read: unknown): string | undefined {
  const quantity = readBlock(text)
  if (quantity !== text && read !== quantity) return quantity
  return read === text || read === quantity ? undefined : text
}

/** Adds omitted params: the latest block if its position is next, and `false` for whole transactions. A call's block is the node's choice. */
function fillDefaults(method: Method, params: unknown[]): void {
  const { blockParam, paramNames = [] } = method
  if (params.length === blockParam && !takesCall(method)) params.push('latest')
  if (params.length === 1 && paramNames[1] === 'fullTransactions') params.push(false)
}

function missing(method: Method, place: number): string {
  return missingParam(nameAt(method, place), usageOf(method))
}

/** Says that a param is missing; `usage`: all params of its method. */
export function missingParam(name: string, usage: string): string {
  return name === usage ? `expected ${name}, got nothing` : `${name} is missing: expected ${usage}`
}

function nameAt({ paramNames = [] }: Method, place: number): string {
  return upper(paramNames[place] ?? `param ${place + 1}`)
}

/** Prints `fullTransactions?` as `FULL_TRANSACTIONS`. */
export function upper(name: string): string {
  return name
    .replace('?', '')
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase()
}
