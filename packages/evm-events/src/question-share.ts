/** The questions that all calls may have in flight beside their first one. `tenant`: the one of the call's context. */
export interface QuestionShare {
  take(tenant: string | undefined, count: number): boolean
  give(tenant: string | undefined, count: number): void
}
