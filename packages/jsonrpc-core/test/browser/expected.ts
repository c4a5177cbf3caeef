import { expect } from 'vitest'

/** The value of each check of the scenario, wherever it runs. */
export const expected: Readonly<Record<string, unknown>> = {
  'an HTTP call': 'a',
  'a batch': [
    [3, 'a'],
    [3, 'b'],
    [3, 'c'],
  ],
  'an HTTP call that takes too long': 'timeout unknown',
  'an HTTP call that is aborted': 'aborted unknown',
  'an HTTP answer beyond the cap': 'too_large unknown',
  'an HTTP peer that is not there': expect.stringMatching(/^(connect not_sent|disconnected unknown)$/),
  'WebSocket calls in any order': ['late', 'echo'],
  'a WebSocket that drops': ['disconnected unknown', 'disconnected unknown', 'again'],
  'a WebSocket peer that is not there': 'connect not_sent',
  'a WebSocket peer that sends what it must not': [
    'invalid_response unknown',
    'invalid_response unknown',
    'too_large unknown',
    // A native WebSocket says of a broken frame no more than that it has closed; Bun's passes broken UTF-8 on, mended.
    expect.stringMatching(/^(?:disconnected|invalid_response) unknown$/),
  ],
  'a WebSocket peer that falls silent': ['disconnected unknown', 'again'],
  'a replay with its gap': [1, 2, [2, 5], 5, 6],
  'the iterator of a subscription': [1, 2, [2, 5], 5, 6],
  'a WebSocket that is closed': ['aborted unknown', 'aborted not_sent'],
  'errors without secrets': [[], [], [], [], [], []],
}
