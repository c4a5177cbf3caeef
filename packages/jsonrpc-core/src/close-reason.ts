import { utf8Length } from './utf8.ts'

/** The reasons for which this side ends a session: the code of a WebSocket's close frame (RFC 6455 §7.4) and its text, where no better one is given. */
export const closeReasons = {
  failed: { code: 1011, text: 'internal error' },
  going_away: { code: 1001, text: 'going away' },
  idle: { code: 1001, text: 'nothing was sent for too long' },
  lost_events: { code: 1013, text: 'events were lost' },
  no_text: { code: 1003, text: 'a text message was expected' },
  overloaded: { code: 1013, text: 'too many bytes are held' },
  quota: { code: 1008, text: 'a quota is spent' },
  restart: { code: 1012, text: 'the gateway restarts: connect again' },
  revoked: { code: 1008, text: 'the key, its secret or the token is not valid any more' },
  slow: { code: 1013, text: 'messages are not read fast enough' },
  source_ended: { code: 1013, text: 'the subscription ended upstream' },
  too_many_calls: { code: 1013, text: 'too many calls wait for an answer' },
  too_many_subscriptions: { code: 1013, text: 'too many subscriptions' },
  withdrawn: { code: 1001, text: 'the network is not served any more' },
} as const

/** A reason for which this side ends a session. */
export type CloseReason = keyof typeof closeReasons

/** The longest text of a close frame, in bytes (RFC 6455 §5.5). */
const longestText = 123

/** Closes a WebSocket for a reason. `text` replaces the reason's own where a close frame has room for it. */
export function closeSocket(
  socket: { close(code: number, text: string): void },
  reason: CloseReason,
  text?: string,
): void {
  const { code, text: own } = closeReasons[reason]
  socket.close(code, text === undefined || utf8Length(text) > longestText ? own : text)
}
