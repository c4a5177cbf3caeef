import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import createWabt from 'wabt'

const source = new URL('../src/simd-scan.wat', import.meta.url)

it('the bytes of the scan are what its source compiles to', async () => {
  const wabt = await createWabt()
  const module = wabt.parseWat('simd-scan.wat', await readFile(source), { simd: true })
  module.validate()
  const { buffer } = module.toBinary({})
  const text = `/**
 * The module of \`simd-scan.wat\`, in base64. A test compiles it and compares; after a change of the source,
 * \`vitest run packages/jsonrpc-core/test/simd-scan-wasm.test.ts -u\` writes this file.
 */
export const simdScanWasm: string =
  '${Buffer.from(buffer).toString('base64')}'
`
  await expect(text).toMatchFileSnapshot('../src/simd-scan-wasm.ts')
})
