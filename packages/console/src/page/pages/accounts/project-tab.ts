import type { Project } from '@wayleave/admin-api'

/** What a tab of a project needs. */
export interface ProjectTabProps {
  readonly project: Project
  /** Why nothing can be changed; undefined: it can. */
  readonly reason: string | undefined
  /** Called with the project as the gateway now has it. */
  readonly onChanged: () => Promise<void>
}
