import { type DeploymentName, deployments } from './deployment.ts'
import { changeAccounts } from './script/admin.ts'
import { endFiltersElsewhere, filterEveryKind, haveFewFilters } from './script/filters.ts'
import { askWithEveryHeader, callEveryClass, directEveryWay, warmUp } from './script/http.ts'
import { spendBursts, spendQuota } from './script/limits.ts'
import { openScene, type Scene } from './script/scene.ts'
import { leaveNothingOpen, subscribeToEveryKind, subscribeToStarknet } from './script/subscriptions.ts'
import { createTranscript, type Transcript } from './transcript.ts'

/** The script, in order. A further part of the law is a line here. */
const script: readonly ((scene: Scene) => Promise<void>)[] = [
  warmUp,
  spendBursts,
  spendQuota,
  callEveryClass,
  askWithEveryHeader,
  directEveryWay,
  subscribeToEveryKind,
  leaveNothingOpen,
  subscribeToStarknet,
  filterEveryKind,
  endFiltersElsewhere,
  haveFewFilters,
  changeAccounts,
]

/** Starts a deployment, runs the script against it, and resolves with what it answered. */
export async function runScript(name: DeploymentName): Promise<Transcript['entries']> {
  await using deployment = await deployments[name]()
  const transcript = createTranscript()
  await using scene = openScene(deployment, transcript)
  for (const part of script) await part(scene)
  return transcript.entries
}
