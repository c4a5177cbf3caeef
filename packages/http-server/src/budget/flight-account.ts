import type { ByteAccount, RpcContext } from '@wayleave/jsonrpc-core'
import type { ByteBudget, ProjectAccount } from './byte-budget.ts'

/**
 * Makes the account of one answer that arrives. Where several projects wait for it, any of them may pay for each part: none fails because
 * another has used up its share, or waits for another's turn.
 */
export function flightAccount(context: RpcContext, budget: ByteBudget): ByteAccount {
  const first = budget.account(context.tenant)
  const payers: ProjectAccount[] = [first]
  const payments: { readonly account: ProjectAccount; bytes: number }[] = []
  context.onTenant?.((tenant) => void payers.push(budget.account(tenant)))

  function take(bytes: number): boolean {
    const account = payers.find((payer) => payer.take(bytes))
    if (account === undefined) return false
    payments.push({ account, bytes })
    return true
  }

  return {
    take,
    arrive(bytes) {
      const turn = payers.length === 1 ? first.turn(bytes) : undefined
      return turn === undefined ? take(bytes) : turn.then(() => take(bytes))
    },
    give(bytes) {
      for (let left = bytes; left > 0;) {
        const last = payments.at(-1)
        if (last === undefined) return
        const part = Math.min(left, last.bytes)
        last.account.give(part)
        last.bytes -= part
        left -= part
        if (last.bytes === 0) payments.pop()
      }
    },
    refusal: () => first.refusal(),
  }
}
