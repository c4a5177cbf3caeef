import type { CID } from 'multiformats/cid'
import { codecCodes } from '../../codec-codes.ts'
import { IpfsError } from '../../error.ts'
import { gather } from '../../unixfs/gather.ts'
import { readIpfsPath } from '../../server/ipfs-path.ts'
import type { IpfsCatOptions, Verification, VerifyMode } from '../client.ts'
import { type AddVerifier, createAddVerifier } from './add-verifier.ts'
import { checkBlock, isCheckable, mostBlockBytes } from './check-block.ts'

/**
 * Reads a file from a host that gives no blocks, as its `cat` sends it. A file of one block is checked before it is handed
 * out. For other content, the CID is computed again, and compared at the end. Without `addedWith`, this can only confirm,
 * because content may have been added with unknown options.
 */
export async function* readPlain(
  verify: VerifyMode,
  path: string,
  options: IpfsCatOptions,
  bytes: AsyncIterable<Uint8Array>,
  report: (verification: Verification) => void,
): AsyncGenerator<Uint8Array> {
  const isWhole = !options.offset && options.length === undefined
  const cid = isWhole ? rootOf(path) : undefined
  if (cid?.code === codecCodes.raw && isCheckable(cid)) {
    const block = await gather(bytes, mostBlockBytes)
    await checkBlock(cid, block)
    report('proven')
    yield block
    return
  }
  if (verify === 'proven') {
    throw new IpfsError('unverified', 'this host gives no blocks (dag/export, block/get) that would prove the content')
  }
  if (cid === undefined) {
    yield* bytes
    return
  }

  const { addedWith } = options
  const verifiers = (addedWith === undefined ? usual(cid) : [addedWith])
    .map(createAddVerifier)
    .filter((verifier) => verifier !== undefined)
  try {
    await forEach(verifiers, (verifier) => verifier.begin({ path: '', type: 'file' }))
    for await (const chunk of bytes) {
      await forEach(verifiers, (verifier) => verifier.write(chunk))
      yield chunk
    }
    await forEach(verifiers, (verifier) => verifier.end())
    const verdicts = await Promise.all(verifiers.map((verifier) => isOf(verifier, cid)))
    if (verdicts.includes(true)) report('consistent')
    else if (addedWith !== undefined && verifiers.length > 0) {
      throw new IpfsError('mismatch', `the host sent bytes that are not those of ${cid}, and they have been handed out`)
    }
  } finally {
    for (const verifier of verifiers) verifier.close()
  }
}

/** Returns the CID of a path; undefined if the path is more than a CID. */
function rootOf(path: string): CID | undefined {
  try {
    const { cid, segments } = readIpfsPath(path)
    return segments.length === 0 ? cid : undefined
  } catch {
    return undefined
  }
}

/** Returns the options that most content was added with. */
function usual({ version }: CID): readonly NonNullable<IpfsCatOptions['addedWith']>[] {
  if (version === 0) return [{ cidVersion: 0 }, { cidVersion: 0, rawLeaves: true }]
  return [{ cidVersion: 1 }, { profile: 'unixfs-v1-2025' }, { cidVersion: 1, rawLeaves: false }]
}

async function forEach(
  verifiers: readonly AddVerifier[],
  run: (verifier: AddVerifier) => Promise<void>,
): Promise<void> {
  await Promise.all(verifiers.map(run))
}

async function isOf(verifier: AddVerifier, cid: CID): Promise<boolean> {
  try {
    return (await verifier.check(cid.toString(), cid.toString())).verification === 'proven'
  } catch (thrown) {
    if (thrown instanceof IpfsError && thrown.code === 'mismatch') return false
    throw thrown
  }
}
