import { styleText } from 'node:util'
import { type IpfsClient, IpfsError, type IpfsPin } from '@wayleave/ipfs-http'
import { type CommandIo, UsageError } from '../command.ts'
import { oneLine } from '../output/visible.ts'
import { suggest } from '../suggest.ts'
import { ipfsFlags, openIpfs, readIpfsArgs } from './flags.ts'
import { jsonLine } from './json-line.ts'
import { runCall } from './run-call.ts'

const flagsOf = {
  add: { ...ipfsFlags, name: { type: 'string' }, recursive: { type: 'boolean', default: true } },
  rm: { ...ipfsFlags, recursive: { type: 'boolean', default: true } },
  ls: { ...ipfsFlags, type: { type: 'string' } },
} as const

type Action = keyof typeof flagsOf
const actions = Object.keys(flagsOf) as Action[]
const types = ['direct', 'indirect', 'recursive', 'all']
/** The width of a CIDv1 of sha2-256 in base32, and of the longest type. */
const [cidWidth, typeWidth] = [59, 9]

/** Runs `wayleave ipfs pin`. Resolves with the exit code. */
export async function pin([action, ...args]: readonly string[], io: CommandIo): Promise<number> {
  switch (action) {
    case 'add':
      return pinAdd(args, io)
    case 'rm':
      return pinRm(args, io)
    case 'ls':
      return pinLs(args, io)
    default: {
      const got = action === undefined ? '' : `, got "${action}"${suggest(action, actions)}`
      throw new UsageError(`pin: expected add, rm or ls${got}`)
    }
  }
}

async function pinAdd(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = readIpfsArgs(args, flagsOf.add)
  const { name, recursive, json } = values
  const client = openIpfs(values, io.env)
  return eachCid('add', positionals, io, json, async (cid, signal) => {
    const pinned = await client.pin.add(cid, { name, recursive, signal })
    const type = recursive ? 'recursive' : 'direct'
    io.stdout(
      json
        ? jsonLine({ cid: pinned, type, name })
        : `pinned ${oneLine(pinned)}${recursive ? '' : ' (its block alone)'}\n`,
    )
  })
}

async function pinRm(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = readIpfsArgs(args, flagsOf.rm)
  const { recursive, json } = values
  const client = openIpfs(values, io.env)
  return eachCid('rm', positionals, io, json, async (cid, signal) => {
    const unpinned = await client.pin.rm(cid, { recursive, signal })
    io.stdout(json ? jsonLine({ cid: unpinned }) : `unpinned ${oneLine(unpinned)}\n`)
  })
}

async function eachCid(
  action: Action,
  cids: readonly string[],
  io: CommandIo,
  json: boolean,
  run: (cid: string, signal: AbortSignal) => Promise<void>,
): Promise<number> {
  if (cids.length === 0) throw new UsageError(`pin ${action}: expected a CID`)
  return runCall({ name: `pin ${action}`, io, json }, async (signal) => {
    for (const cid of cids) {
      await run(cid, signal).catch((thrown: unknown) => {
        if (cids.length === 1 || !(thrown instanceof IpfsError)) throw thrown
        const { code, message, status } = thrown
        throw new IpfsError(code, `${cid}: ${message}`, { status, cause: thrown })
      })
    }
  })
}

async function pinLs(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = readIpfsArgs(args, flagsOf.ls)
  const { type, json } = values
  if (type !== undefined && !types.includes(type)) {
    throw new UsageError(`--type: expected direct, indirect, recursive or all, got "${type}"${suggest(type, types)}`)
  }
  const client = openIpfs(values, io.env)
  return runCall({ name: 'pin ls', io, json }, async (signal) => {
    const stream = io.process.stdout
    const isTable = stream.isTTY === true && !json
    let count = 0
    for await (const each of pinsOf(client, positionals, type, signal)) {
      if (isTable && count === 0) io.stdout(`${styleText('bold', row('CID', 'type', 'name'), { stream })}\n`)
      count++
      io.stdout(json ? jsonLine(each) : isTable ? `${row(each.cid, each.type, each.name)}\n` : plainLine(each))
    }
    if (isTable) io.stdout(`${styleText('dim', count === 0 ? 'nothing is pinned' : `${count} in all`, { stream })}\n`)
  })
}

async function* pinsOf(
  client: IpfsClient,
  cids: readonly string[],
  type: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<IpfsPin> {
  // Blocks below pins, which are pinned indirectly, are many: they are listed if they are asked for.
  const listed = type === undefined ? ['recursive', 'direct'] : [type]
  if (cids.length === 0) for (const each of listed) yield* client.pin.ls({ type: each, signal })
  for (const cid of cids) yield* client.pin.ls({ cid, type, signal })
}

function row(cid: string, type: string, name = ''): string {
  return `${oneLine(cid).padEnd(cidWidth)}  ${oneLine(type).padEnd(typeWidth)}  ${oneLine(name)}`.trimEnd()
}

function plainLine({ cid, type, name = '' }: IpfsPin): string {
  return `${[cid, type, name].map(oneLine).join('\t')}\n`
}
