import type { Job, JobResult } from './messages.ts'
import { plantMutation, readMutations } from './mutation.ts'

/** A process that runs plans one after another; its argument names a seeded bug. */
async function main([name]: readonly string[]): Promise<void> {
  const mutation = readMutations().find((each) => each.name === name)
  if (mutation !== undefined) plantMutation(mutation)
  // Stacks of errors cost a tenth of a run.
  Error.stackTraceLimit = 0
  // The product is loaded after its bug was planted.
  const { runPlan } = await import('./run-plan.ts')
  process.on('message', ({ plan }: Job) => {
    const send = (result: JobResult): void => void process.send!(result)
    runPlan(plan).then(
      (report) => send({ report }),
      (thrown: unknown) =>
        send({ failure: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }),
    )
  })
  process.on('disconnect', () => process.exit())
}

await main(process.argv.slice(2))
