/** The reader of a stream of events, as the host has it. */
export interface AdminEventSink {
  /** Sends an event, whose data is printed as JSON; false where the reader has no room: it was not sent. */
  send(event: string, data: unknown): boolean
  /** Ends the answer: there is nothing more to tell. */
  end(): void
}

/** Begins to tell a reader. Returns the function that ends that, which the host calls once the reader is gone. */
export type AdminEvents = (sink: AdminEventSink) => () => void
