import type { SocketLike } from '@wayleave/jsonrpc-core'

/** A socket whose far side is the test. */
export class FakeSocket extends EventTarget implements SocketLike {
  bufferedAmount = 0
  readonly sent: string[] = []
  /** It was closed or dropped. */
  isOver = false
  declare addEventListener: SocketLike['addEventListener']

  send(frame: string): void {
    this.sent.push(frame)
  }

  open(): void {
    this.dispatchEvent(new Event('open'))
  }

  say(frame: string): void {
    this.dispatchEvent(new MessageEvent('message', { data: frame }))
  }

  /** Answers the newest call. */
  answer(result = '"ok"'): void {
    const { id } = JSON.parse(this.sent.at(-1)!) as { id: number }
    this.say(`{"jsonrpc":"2.0","id":${id},"result":${result}}`)
  }

  drop(): void {
    this.close(1006)
  }

  close(code = 1000): void {
    if (this.isOver) return
    this.isOver = true
    this.dispatchEvent(Object.assign(new Event('close'), { code }))
  }
}
