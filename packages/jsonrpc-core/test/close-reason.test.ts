import { describe, expect, it } from 'vitest'
import { closeReasons, closeSocket } from '../src/close-reason.ts'
import { utf8Length } from '../src/utf8.ts'

function closedWith(...why: Parameters<typeof closeSocket> extends [unknown, ...infer Why] ? Why : never): unknown[] {
  const closes: unknown[] = []
  closeSocket({ close: (...frame) => void closes.push(...frame) }, ...why)
  return closes
}

describe('a WebSocket', () => {
  it('closes with the code and the text of the reason', () => {
    expect(closedWith('quota')).toEqual([1008, closeReasons.quota.text])
  })

  it('closes with a text that says more, where a close frame has room for it', () => {
    const longest = `${'é'.repeat(61)}e`
    expect(closedWith('source_ended', longest)).toEqual([1013, longest])
    expect(closedWith('source_ended', 'é'.repeat(62))).toEqual([1013, 'the subscription ended upstream'])
  })
})

it('each reason has a text for which a close frame has room', () => {
  for (const { text } of Object.values(closeReasons)) expect(utf8Length(text)).toBeLessThanOrEqual(123)
})
