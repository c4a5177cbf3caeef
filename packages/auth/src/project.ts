/** The project that a key belongs to. It holds no secret and may be logged. */
export interface Project {
  readonly id: string
  readonly name: string
  /** Slugs of the networks that its keys may reach; undefined: all. */
  readonly networks?: readonly string[]
  /** True if a key alone does not suffice. */
  readonly requireSecret: boolean
}
