import { CID } from 'multiformats/cid'
import { codecCodes } from '../../codec-codes.ts'
import { IpfsError } from '../../error.ts'
import { createDigestSet } from '../../local/digest-set.ts'
import { lines, single } from '../answers.ts'
import type { Call, Command } from '../call.ts'
import { pinsOf } from '../listed-pins.ts'
import { verifyPins } from '../verify-pins.ts'
import { blocksOf, metBlocks, walkBlocks } from '../walk.ts'

/** Stands for no quota: the largest number that all readers of JSON know. */
const boundless = Number.MAX_SAFE_INTEGER

/**
 * `POST /api/v0/repo/stat`: the pins of the project, their bytes, and its quota. The folder and the disk of the service are not told.
 * Source: Kubo `core/commands/repo.go`.
 */
export const repoStat: Command = {
  options: { human: 'bool', 'size-only': 'bool' },
  short: { H: 'human', s: 'size-only' },
  async run(call) {
    const { ledger, options, project } = call
    const { storedBytes } = await ledger.usage(project.id, '')
    const sizes = { RepoSize: Number(storedBytes), StorageMax: Number(project.quota.storedBytes ?? boundless) }
    if (options.bool('size-only') === true) return single({ ...sizes, NumObjects: 0, RepoPath: '', Version: '' })
    let pins = 0
    for await (const _ of pinsOf(call, () => true)) pins++
    return single({ ...sizes, NumObjects: pins, RepoPath: '', Version: 'fs-repo@18' })
  },
}

/**
 * `POST /api/v0/repo/gc`: removes the blocks that calls of the project have written since the start, and that no pin is known to hold.
 * Source: Kubo `core/commands/repo.go`.
 */
export const repoGc: Command = {
  options: { quiet: 'bool', silent: 'bool', 'stream-errors': 'bool' },
  short: { q: 'quiet' },
  async run(call) {
    if (call.backend.unpinnedBlocks === undefined) {
      throw new IpfsError(
        'unsupported',
        'repo/gc: the IPFS node behind this service collects by itself, what nobody pins',
      )
    }
    return lines(collected(call), { eager: false })
  },
}

async function* collected(call: Call): AsyncGenerator<object, void, undefined> {
  const { backend, backendCall, options, wait } = call
  const isSilent = options.bool('silent') === true
  for (const cid of backend.unpinnedBlocks?.(backendCall) ?? []) {
    const result = await wait(backend.removeBlock(cid, backendCall))
    if (result === 'removed' && !isSilent) yield { Key: { '/': String(cid) } }
  }
}

/** Milliseconds between two lines of progress. */
const progressMs = 500

/** `POST /api/v0/repo/verify`: reads all blocks of the pins of the project, and fetches none. Source: Kubo `core/commands/repo.go`. */
export const repoVerify: Command = {
  options: { drop: 'bool', heal: 'bool', 'heal-timeout': 'string' },
  async run(call) {
    for (const name of ['drop', 'heal']) {
      if (call.options.bool(name) !== true) continue
      throw new IpfsError(
        'unsupported',
        `${name}: a broken block is replaced when its content is added again: leave it out`,
      )
    }
    return lines(verified(call), { eager: true })
  },
}

async function* verified(call: Call): AsyncGenerator<object, void, undefined> {
  const { clock, signal } = call
  let reported = clock.now()
  const bad = { corrupt: 0, missing: 0 }
  let blocks = 0
  for await (const { cid, pin, failure } of verifyPins(blocksOf(call, true), pinned(call), signal)) {
    blocks++
    if (failure?.code === 'not_found') {
      bad.missing++
      yield { Msg: `block ${cid} is missing, below the pin ${pin}`, Progress: 0 }
    } else if (failure !== undefined) {
      bad.corrupt++
      yield { Msg: `block ${cid} was corrupt (${failure.message}), below the pin ${pin}`, Progress: 0 }
    }
    if (clock.now() - reported < progressMs) continue
    reported = clock.now()
    yield { Msg: '', Progress: blocks }
  }
  yield { Msg: '', Progress: blocks }
  if (bad.corrupt === 0 && bad.missing === 0) yield { Msg: 'verify complete, all blocks validated.', Progress: 0 }
  else throw new IpfsError('bad_content', `verify complete, ${bad.corrupt} blocks corrupt, ${bad.missing} missing`)
}

async function* pinned(call: Call): AsyncGenerator<{ readonly cid: CID; readonly recursive: boolean }> {
  for await (const { cid, type } of pinsOf(call, () => true))
    yield { cid: CID.parse(cid), recursive: type === 'recursive' }
}

/**
 * `POST /api/v0/refs/local`: the blocks of the pins of the project, and those that `repo/gc` would remove. As in Kubo, each once, as raw
 * bytes. Source: Kubo `core/commands/refs.go`.
 */
export const refsLocal: Command = {
  async run(call) {
    return lines(ownBlocks(call), { eager: false })
  },
}

async function* ownBlocks(call: Call): AsyncGenerator<object, void, undefined> {
  const { backend, backendCall, signal, wait } = call
  const printed = createDigestSet()
  const met = metBlocks()
  function* print({ multihash }: CID): Generator<object> {
    if (printed.add(multihash.bytes)) yield { Ref: String(CID.createV1(codecCodes.raw, multihash)), Err: '' }
  }
  for await (const { cid, recursive } of pinned(call)) {
    if (!recursive) {
      if (await wait(backend.hasBlock(cid, backendCall))) yield* print(cid)
      continue
    }
    const walk = walkBlocks(blocksOf(call, true), [cid], met, { reads: 'links', signal })
    for await (const { cid: below, size, failure } of walk) {
      const isRead = size > 0 || failure !== undefined
      const isHere = isRead ? failure?.code !== 'not_found' : await wait(backend.hasBlock(below, backendCall))
      if (isHere) yield* print(below)
    }
  }
  for (const cid of backend.unpinnedBlocks?.(backendCall) ?? []) yield* print(cid)
}
