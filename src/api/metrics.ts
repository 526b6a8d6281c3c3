/** An answered request, as it is counted. */
export type AnsweredRequest = Readonly<{ operationId: string; method: string; status: number; seconds: number }>

/** What the process counts of itself. */
export type Metrics = Readonly<{
  request(answered: AnsweredRequest): void
  /** Everything, in Prometheus' text format. */
  text(): Promise<string>
}>
