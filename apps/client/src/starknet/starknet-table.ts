import type { OtherMethods } from '../api.ts'
import { starknetEffect } from './starknet-effect.ts'
import { starknetSubscriptions } from './starknet-subscriptions.ts'

/** The Starknet methods of a client's connection. */
export const starknetTable: OtherMethods = {
  subscriptions: starknetSubscriptions,
  effectOf: (method) => (/^starknet_(un)?subscribe/.test(method) ? 'session' : starknetEffect(method)),
}
