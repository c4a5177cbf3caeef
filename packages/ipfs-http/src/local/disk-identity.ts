import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { base58btc } from 'multiformats/bases/base58'
import { create as createDigest } from 'multiformats/hashes/digest'
import { IpfsError } from '../error.ts'
import { systemCode } from '../disk-error.ts'
import { randomPublicKey } from './defaults.ts'
import { partSuffix, writeWhole } from './disk.ts'

/** The first bytes of a libp2p public key of ed25519, as protobuf. Source: libp2p, peer ids. */
const prefix = Uint8Array.of(0x08, 0x01, 0x12, 0x20)

/** The identity of a store in `/api/v0/id`. No peer answers under it. */
export interface Identity {
  /** A peer id: `12D3KooW…`. */
  readonly id: string
  /** The public key as libp2p writes it, in base64. */
  readonly publicKey: string
  /** The line of the file, which names the store. */
  readonly line: string
}

/** Reads the identity of a folder. The first time, makes one. */
export async function readIdentity(folder: string): Promise<Identity> {
  const file = join(folder, 'identity')
  let key: Uint8Array
  try {
    key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64')
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    key = randomPublicKey()
    // A killed process may have left this.
    await rm(file + partSuffix, { force: true })
    await writeWhole(file, file + partSuffix, Buffer.from(`${Buffer.from(key).toString('base64')}\n`))
  }
  if (key.length !== 32) {
    throw new IpfsError(
      'storage',
      `${file} holds no public key: restore it, or write the name that the pins are bound to into it`,
    )
  }
  const bytes = Buffer.concat([prefix, key])
  return {
    id: base58btc.baseEncode(createDigest(0, bytes).bytes),
    publicKey: bytes.toString('base64'),
    line: Buffer.from(key).toString('base64'),
  }
}
