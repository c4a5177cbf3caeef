import { expect, test } from 'vitest'
import { createBufferRelief } from '../../src/server/buffer-relief.ts'
import { form, serve } from './serve.ts'

test('garbage of short life is collected once in 4 MB that pass', () => {
  let collections = 0
  const passed = createBufferRelief(() => void collections++)
  for (let bytes = 0; bytes < 12_000_000; bytes += 65_536) passed(65_536)
  expect(collections).toBe(2)
})

test('an upload counts as what passes, and a download does not, as its memory is used again', async () => {
  let collections = 0
  const { post } = await serve({ listener: { collectYoung: () => void collections++ } })
  const upload = form({ content: Buffer.alloc(5_000_000) })
  const added = await post('/api/v0/add', upload)
  expect(collections).toBe(1)
  for (let i = 0; i < 3; i++) await post(`/api/v0/cat?arg=${String(added.lines[0]!['Hash'])}`)
  expect(collections).toBe(1)
})
