import type { CID } from 'multiformats/cid'
import type { BackendCall } from '../backend.ts'
import { IpfsError } from '../error.ts'
import type { KuboRpc } from './kubo-rpc.ts'

/** The name of the pins that are ours in a node. */
export const ourName = 'wayleave'

/** The pins of a node, in which others may pin as well. A pin that is not ours is neither removed nor renamed. */
export interface KuboPins {
  /** Asks the node once. @throws IpfsError `unsupported` for the proxy of an IPFS Cluster, whose pins have no names: those of others would be taken for ours */
  requireKubo(call: BackendCall): Promise<void>
  /** True if the node may pin an upload itself and so replace the pin of others: `keep` then restores it. Else `keep` alone pins it. */
  mayReplace(call: BackendCall): Promise<boolean>
  /** Whether a CID is pinned, by whomever. */
  has(cid: CID, options: { readonly recursive: boolean }, call: BackendCall): Promise<boolean>
  /** Pins a CID unless it is pinned. Yields how many blocks the node has walked so far. */
  hold(
    cid: CID,
    options: { readonly recursive: boolean },
    call: BackendCall,
  ): AsyncGenerator<{ readonly blocks: unknown; readonly bytes: unknown }, void, undefined>
  /** Pins a root that was uploaded just now: under the name that others gave it, or else ours. */
  keep(cid: CID, call: BackendCall): Promise<void>
  /** Gives the pin of a root that is not kept the name that others gave it, so that `release` leaves it. */
  restore(cid: CID, call: BackendCall): Promise<void>
  /** Unpins a CID, if the pin is ours. */
  release(cid: CID, call: BackendCall): Promise<void>
}

/** The names of the pins of others by CID, or `many` if they are too many to keep. */
type Others = Map<string, string> | 'many'

interface NodePin {
  readonly type: unknown
  readonly name: string
}

/** A CID of no bytes, which nobody pins. */
const nothing = 'bafkqaaa'
/** Most pins of others to remember. Any node has one: the empty directory. */
const mostOthers = 10_000

/** Creates the pins of a node; ours are known by their name. Source: Kubo `core/commands/pin/pin.go`. */
export function createKuboPins({ answer, lines }: Pick<KuboRpc, 'answer' | 'lines'>): KuboPins {
  let isKubo = false
  let others: Others | undefined

  async function requireKubo(call: BackendCall): Promise<void> {
    if (isKubo) return
    const query: [string, string][] = [['arg', nothing], ...named('recursive')]
    const isCluster = await answer({ command: 'pin/ls', query, ...call }, 'Keys').then(
      ({ Keys: keys }) => !JSON.stringify(keys).includes('"Name":'),
      (thrown: unknown) => {
        if (!isNotPinned(thrown)) throw thrown
        return thrown.message.startsWith('Error: ')
      },
    )
    if (isCluster) throw new IpfsError('unsupported', 'the URL is of an IPFS Cluster: give the RPC of a Kubo')
    isKubo = true
  }

  /** Lists the pins of others. Calls at the same time each list them, since any may leave; the first to end shares its list. */
  async function theirs(call: BackendCall): Promise<Others> {
    if (others !== undefined) return others
    const found = await findOthers(call)
    return (others ??= found)
  }

  async function findOthers(call: BackendCall): Promise<Others> {
    const found = new Map<string, string>()
    await requireKubo(call)
    for (const type of ['recursive', 'direct']) {
      const query: [string, string][] = [...named(type), ['stream', 'true']]
      for await (const { Cid: cid, Name: name = '' } of lines({ command: 'pin/ls', query, ...call })) {
        if (name !== ourName) found.set(String(cid), String(name))
        if (found.size > mostOthers) return 'many'
      }
    }
    return found
  }

  /** Finds the pin of a CID. Asks for the kinds one by one: for all at once, a node would walk all that it pins. */
  async function find(cid: CID, call: BackendCall): Promise<NodePin | undefined> {
    await requireKubo(call)
    for (const type of ['recursive', 'direct']) {
      const query: [string, string][] = [['arg', `${cid}`], ...named(type), ['stream', 'true']]
      try {
        const { Type: found, Name: name } = await answer({ command: 'pin/ls', query, ...call }, 'Type')
        return { type: found, name: String(name ?? '') }
      } catch (thrown) {
        if (!isNotPinned(thrown)) throw thrown
      }
    }
    return undefined
  }

  /** Remembers a pin that others made after the list. */
  function note(cid: CID, found: NodePin | undefined): void {
    if (found === undefined || found.name === ourName || others === undefined || others === 'many') return
    if (others.size < mostOthers) others.set(`${cid}`, found.name)
    else others = 'many'
  }

  async function* pin(
    cid: CID,
    name: string,
    recursive: boolean,
    call: BackendCall,
  ): AsyncGenerator<{ readonly blocks: unknown; readonly bytes: unknown }, void, undefined> {
    const query: [string, string][] = [
      ['arg', `${cid}`],
      ['recursive', `${recursive}`],
      ['name', name],
      ['progress', 'true'],
    ]
    let isPinned = false
    try {
      for await (const { Progress: blocks, Bytes: bytes, Pins: pins } of lines({
        command: 'pin/add',
        query,
        ...call,
      })) {
        isPinned ||= Array.isArray(pins)
        if (blocks !== undefined) yield { blocks, bytes: bytes ?? 0 }
      }
    } catch (thrown) {
      // Somebody pinned it recursively meanwhile, which includes this block.
      if (recursive || !(thrown instanceof IpfsError) || !/already pinned/.test(thrown.message)) throw thrown
      return
    }
    if (!isPinned) throw new IpfsError('invalid_response', 'the IPFS node left out the end of pin/add')
  }

  return {
    requireKubo,
    mayReplace: async (call) => (await theirs(call)) !== 'many',
    async has(cid, { recursive }, call) {
      const found = await find(cid, call)
      return found?.type === 'recursive' || (found !== undefined && !recursive)
    },
    async *hold(cid, { recursive }, call) {
      const found = await find(cid, call)
      note(cid, found)
      if (found?.type === 'recursive' || (found !== undefined && !recursive)) return
      yield* pin(cid, found?.name ?? ourName, recursive, call)
    },
    async keep(cid, call) {
      const [known, found] = [await theirs(call), await find(cid, call)]
      const name = known === 'many' ? (found?.name ?? ourName) : (known.get(`${cid}`) ?? ourName)
      if (found?.type === 'recursive' && found.name === name) return
      for await (const _ of pin(cid, name, true, call)) continue
    },
    async restore(cid, call) {
      const known = await theirs(call)
      const name = known === 'many' ? undefined : known.get(`${cid}`)
      if (name === undefined || (await find(cid, call))?.name === name) return
      for await (const _ of pin(cid, name, true, call)) continue
    },
    async release(cid, call) {
      const found = await find(cid, call)
      if (found?.name !== ourName) return note(cid, found)
      try {
        // The node's pin is the widest that any project needed, which need not be that of the last one.
        await answer(
          {
            command: 'pin/rm',
            query: [
              ['arg', `${cid}`],
              ['recursive', 'true'],
            ],
            ...call,
          },
          'Pins',
        )
      } catch (thrown) {
        // Somebody else unpinned it there meanwhile.
        if (!isNotPinned(thrown)) throw thrown
      }
    },
  }
}

function named(type: string): [string, string][] {
  return [
    ['type', type],
    ['names', 'true'],
  ]
}

function isNotPinned(thrown: unknown): thrown is IpfsError {
  return thrown instanceof IpfsError && thrown.code === 'not_pinned'
}
