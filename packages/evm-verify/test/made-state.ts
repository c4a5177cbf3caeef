import { createMerkleProof, createMPT } from '@ethereumjs/mpt'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { AccountProof, Hex } from '@wayleave/evm-types'
import { encodeRlp } from '../src/rlp.ts'

export const hex = (bytes: Uint8Array): Hex => `0x${bytesToHex(bytes)}`
export const bytes = (text: Hex): Uint8Array => hexToBytes(text.slice(2))

/** An account with code, whose storage holds 1 to 40 at these positions. */
export const address: Hex = `0x${'c0'.repeat(20)}`
/** An account that is not there. */
export const stranger: Hex = `0x${'5a'.repeat(20)}`
export const code: Hex = '0x5f5ff3'
export const emptyCode: Hex = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
export const emptyTrie: Hex = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

export interface MadeState {
  readonly root: Hex
  prove(of: Hex, positions?: readonly Hex[]): Promise<AccountProof>
}

/** A state of twenty accounts, made by an independent implementation. */
export async function madeState(): Promise<MadeState> {
  const storage = await createMPT()
  for (let i = 1; i <= 40; i++) {
    await storage.put(keccak_256(hexToBytes(i.toString(16).padStart(64, '0'))), encodeRlp(Uint8Array.of(i)))
  }
  const accounts = await createMPT()
  for (let i = 0; i < 20; i++) {
    const owner = i === 0 ? bytes(address) : hexToBytes(i.toString(16).padStart(40, '0'))
    const root = i === 0 ? storage.root() : bytes(emptyTrie)
    await accounts.put(
      keccak_256(owner),
      encodeRlp([Uint8Array.of(5), Uint8Array.of(1, 0), root, i === 0 ? keccak_256(bytes(code)) : bytes(emptyCode)]),
    )
  }
  return {
    root: hex(accounts.root()),
    async prove(of, positions = []) {
      const isThere = of === address
      const accountProof = (await createMerkleProof(accounts, keccak_256(bytes(of)))).map(hex)
      const storageProof = await Promise.all(
        positions.map(async (key) => {
          const number = BigInt(key)
          const position = keccak_256(hexToBytes(number.toString(16).padStart(64, '0')))
          const proof = isThere ? (await createMerkleProof(storage, position)).map(hex) : []
          const value: Hex = isThere && number >= 1n && number <= 40n ? `0x${number.toString(16)}` : '0x0'
          return { key, value, proof }
        }),
      )
      const values = isThere
        ? { nonce: '0x5', balance: '0x100', storageHash: hex(storage.root()), codeHash: hex(keccak_256(bytes(code))) }
        : { nonce: '0x0', balance: '0x0', storageHash: emptyTrie, codeHash: emptyCode }
      return { address: of, accountProof, ...values, storageProof } as AccountProof
    },
  }
}
