import { blockNumberOrTagSchema } from '@wayleave/evm-types'
import { type CommandIo, UsageError } from '../command.ts'
import { readText } from '../accounts/flags.ts'
import { readStdin } from '../accounts/stdin.ts'
import { type Method, methodNamed } from './methods.ts'
import { blockFault, type ParamFlagValues, paramFlags } from './param-flags.ts'
import { readBlockParam, readParams } from './read-params.ts'
import type { ShortName } from './short-names.ts'

interface Flags extends ParamFlagValues {
  readonly full: boolean
  readonly unchecked: boolean
}

interface Call {
  readonly method: Method
  readonly params: readonly unknown[]
}

/** Reads the arguments of a short name, such as `block` or `send`. @throws UsageError */
export async function readShort(
  name: string,
  { methodOf, usage }: ShortName,
  args: readonly string[],
  flags: Flags,
  io: CommandIo,
): Promise<Call> {
  if (name === 'block') return readBlock(methodOf, args, flags)
  const method = { ...methodNamed(methodOf(args))!, paramNames: namesIn(usage) }
  if (name !== 'send') return { method, params: readParams(method, args, flags, flags.unchecked) }
  const stray = Object.keys(paramFlags).find((flag) => flags[flag] !== undefined)
  if (stray !== undefined) {
    throw new UsageError(
      `--${stray}: send takes a transaction that is signed; wayleave eth send-transaction has a node sign one whose key it keeps`,
    )
  }
  const signed = await Promise.all(args.map((text) => readSigned(text, io)))
  return { method, params: readParams(method, signed, flags, flags.unchecked) }
}

/** A hash chooses another method than a number or a tag. */
function readBlock(methodOf: ShortName['methodOf'], args: readonly string[], { block, ...flags }: Flags): Call {
  if (block !== undefined && args.length > 0)
    throw new UsageError('the block came twice: by --block and by its position')
  const places = block === undefined ? args : [block]
  const method = methodNamed(methodOf(places))!
  const [text] = places
  if (text !== undefined && method.name === 'eth_getBlockByNumber' && !flags.unchecked) refuseNoBlock(text)
  const params = readParams(method, places, flags, flags.unchecked)
  return { method, params: flags.full ? [params[0], true] : params }
}

/** @throws UsageError that tells of hashes too, which the schema of this method refuses */
function refuseNoBlock(text: string): void {
  if (blockNumberOrTagSchema.check(readBlockParam(text), '') === undefined) return
  throw new UsageError(`BLOCK: ${blockFault(text, true)}; --unchecked sends it all the same`)
}

/** Reads the names of params in a usage line: `ADDRESS [BLOCK]`. */
function namesIn(usage: string): readonly string[] {
  return usage.split(' ').map((word) => word.toLowerCase().replace(/^\[(.*)\]$/, '$1?'))
}

/** Reads a signed transaction, given as hex, `@FILE`, or `-` for stdin. */
export async function readSigned(text: string, io: CommandIo): Promise<string> {
  if (text === '-') return (await readStdin(io)).trim()
  return text.startsWith('@') ? (await readText('TRANSACTION', text.slice(1))).trim() : text
}
